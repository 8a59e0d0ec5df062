create or replace function internal.actor() returns text
  language sql
  stable
as $$
  select coalesce(
    nullif(current_setting('kith.actor', true), ''),
    'user:' || kith.user_id(),
    case
      when pg_has_role(session_user, 'kith_admin', 'member') or pg_has_role(session_user, 'kith_owner', 'member')
        then internal.operator()
    end,
    'kith'
  )
$$;
comment on function internal.actor() is
  'The actor to name in the audit: the one the server set (key:<id>), otherwise the user, otherwise the operator, otherwise kith itself.';
grant execute on function internal.actor() to kith_api, kith_worker;

create or replace function internal.operator() returns text
  language sql
  stable
as $$
  -- Inside a definer procedure, current_user is the owner; session_user is the person who logged in.
  select 'operator:' || session_user
$$;
comment on function internal.operator() is
  'The operator as the audit names them. Procedures of schema admin use it, because anybody can set kith.actor.';

create or replace function internal.record_act(
  p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb
) returns void
  language plpgsql
as $$
declare
  v_at timestamptz := clock_timestamp();
begin
  insert into kith.audit (tenant_id, id, at, actor, action, subject, detail)
  values (p_tenant_id, internal.uuid7(v_at), v_at, p_actor, p_action, p_subject, coalesce(p_detail, '{}'));
end
$$;
comment on function internal.record_act(integer, text, text, text, jsonb) is
  'Writes one row of the audit, with the database''s own clock: an operator may choose when an act takes effect (p_now), but not when it '
  'was recorded. For definer procedures: nobody else may insert there.';
