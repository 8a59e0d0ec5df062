-- What users think, for the tenant and the operator (A10).

create or replace function api.give_feedback(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.begin_act('feedback', p_now);
  -- Lock the account. Otherwise feedback written during its deletion would remain.
  perform internal.lock_account();
  insert into kith.feedback (tenant_id, id, user_id, topic, rating, text, created_at)
  values (
    v_tenant, internal.uuid7(p_now), v_user, p_body ->> 'topic', (p_body ->> 'rating')::integer,
    nullif(btrim(p_body ->> 'text'), ''), p_now
  );
  return null;
end
$$;
comment on function api.give_feedback(jsonb, timestamptz) is
  'Records what the caller thinks: {topic: invitation, share or app, rating: 1 to 5, text?}. Security definer, because '
  'only this procedure writes feedback, a limited number a day.';
grant execute on function api.give_feedback(jsonb, timestamptz) to kith_api;

create or replace function api.list_feedback(p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          internal.feedback_json(page.feedback)::jsonb || jsonb_build_object(
            'user', jsonb_build_object('id', author.id, 'display_name', internal.name_of_anybody(author.display_name))
          )
          order by page.n
        ) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg((page.feedback).id order by page.n))[p_limit] end
    )
    from (
      select feedback, row_number() over (order by feedback.id desc) as n
      from kith.feedback as feedback
      where feedback.tenant_id = v_tenant and feedback.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by feedback.id desc
      limit p_limit + 1
    ) as page
    cross join lateral (
      select one.id, one.display_name from kith.users as one
      where one.tenant_id = v_tenant and one.id = (page.feedback).user_id offset 0
    ) as author
  );
end
$$;
comment on function api.list_feedback(integer, uuid) is
  'Returns the feedback of all users, newest first, to the tenant''s server. Security definer, because a user''s '
  'policy shows only their own.';
grant execute on function api.list_feedback(integer, uuid) to kith_api;
