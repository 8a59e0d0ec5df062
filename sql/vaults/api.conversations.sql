create or replace function api.list_conversations(p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.conversation_json(page.conversation) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor',
      case when count(*) > p_limit then (array_agg((page.conversation).last_message_id order by page.n))[p_limit] end,
      'unread_count', internal.unread_messages()
    )
    from (
      select own as conversation, row_number() over (order by own.last_message_id desc) as n
      from internal.own_conversations(p_limit + 1, p_cursor) as own
    ) as page
  );
end
$$;
comment on function api.list_conversations(integer, uuid) is
  'Returns the caller''s conversations in all vaults, those with the newest messages first, each with its last message '
  'and the number of unread ones, and the number of all unread ones. Chat needs no open vault, and neither does this '
  'list. Security definer, because it reads the names of the other sides.';
grant execute on function api.list_conversations(integer, uuid) to kith_api;
