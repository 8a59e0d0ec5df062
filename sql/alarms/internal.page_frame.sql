-- What every page of the web client says of questions, and of alarms of which its reader was not told. It is read with
-- each page, and so by indexes.

create or replace function internal.open_asks(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(json_agg(json_build_object(
      'id', open.id, 'asked_at', internal.instant(open.asked_at), 'answer_by', internal.instant(open.answer_by),
      'receiver', json_build_object('id', open.receiver_id, 'display_name', open.name)
    ) order by open.answer_by, open.id), '[]')
    from (
      select ask.id, ask.asked_at, ask.answer_by, ask.receiver_id,
        coalesce(connection.alias_by_sender, internal.counterpart_name(person.display_name, 'receiver')) as name
      from kith.asks as ask
      join kith.users as person on person.tenant_id = v_tenant and person.id = ask.receiver_id
      join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = ask.connection_id
      where ask.tenant_id = v_tenant and ask.sender_id = v_user and ask.ended_at is null and ask.answer_by > p_now
      order by ask.answer_by, ask.id
      limit 20
    ) as open
  );
end
$$;
comment on function internal.open_asks(timestamptz) is
  'The questions "Are you OK?" that wait for the caller''s answer, which is a check-in (K06), at most 20, the most '
  'urgent first: {id, asked_at, answer_by, receiver}. Security definer, because kith_api may not read questions.';
grant execute on function internal.open_asks(timestamptz) to kith_api;

create or replace function internal.is_asked(p_tenant integer, p_user uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.asks where tenant_id = p_tenant and sender_id = p_user and ended_at is null and answer_by > p_now
  );
end
$$;
comment on function internal.is_asked(integer, uuid, timestamptz) is
  'Whether a question "Are you OK?" (K06) waits for somebody''s answer. For definer procedures.';
