create or replace function internal.actor() returns text
  language sql
  stable
as $$
  select coalesce(
    nullif(current_setting('kith.actor', true), ''),
    'user:' || kith.user_id(),
    case
      when pg_has_role(session_user, 'kith_reader', 'member') or pg_has_role(session_user, 'kith_owner', 'member')
        then internal.operator()
    end,
    'kith'
  )
$$;
comment on function internal.actor() is
  'The actor to name in the audit: the one the server set (key:<id>), otherwise the user, otherwise the operator, '
  'otherwise kith itself.';
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

create or replace function internal.bound_tenant() returns integer
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce(
    -- One that has ended sees nothing, even if somebody lets it in again by hand.
    (
      select case when operator.ended_at is null then operator.only_tenant_id else -1 end
      from kith.operators as operator where operator.login = session_user
    ),
    -- A login that was bound in another database of the cluster, or whose row was lost, sees nothing rather than
    -- everything.
    (
      select -1 from pg_auth_members as membership
      where membership.roleid = 'kith_bound'::regrole and membership.member = session_user::regrole
    )
  );
end
$$;
comment on function internal.bound_tenant() is
  'The only tenant that the operator who logged in sees; null for all. It reads a table and no setting, because a '
  'session can change its settings. -1, which no tenant has, if the login has ended, or is bound and nothing says to '
  'which. Security definer, because policies call it.';
grant execute on function internal.bound_tenant() to kith_reader;

create or replace function internal.refuse_outsider() returns boolean
  language plpgsql
  stable
as $$
begin
  if pg_has_role(current_user, 'kith_reader', 'usage') then
    return false;
  end if;
  raise exception 'forbidden' using errcode = 'KT403',
    detail =
      'This login may read all data, but row-level security shows it no rows, because it is no operator of Kith.',
    hint = 'kith operator create NAME --read-only makes a login that may read; a back-up needs BYPASSRLS.';
end
$$;
comment on function internal.refuse_outsider() is
  'Raises forbidden to a login that has pg_read_all_data and is no operator. False otherwise, so the policy that calls '
  'it lets nobody in.';
grant execute on function internal.refuse_outsider() to pg_read_all_data;

create or replace function internal.record_act(
  p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb
) returns void
  language plpgsql
as $$
declare
  v_at timestamptz := clock_timestamp();
begin
  insert into kith.audit (tenant_id, id, at, actor, action, subject, detail, request_id)
  values (
    p_tenant_id, internal.uuid7(v_at), v_at, p_actor, p_action, p_subject, coalesce(p_detail, '{}'),
    -- While a request's call runs, its id is the session's name (Sources/Requests/ProcedureCall.swift).
    case
      when current_setting('role') = 'kith_api' or session_user = 'kith_api'
        then nullif(nullif(current_setting('application_name'), ''), 'kith serve')
    end
  );
end
$$;
comment on function internal.record_act(integer, text, text, text, jsonb) is
  'Writes one row of the audit, with the database''s own clock: an operator may choose when an act takes effect '
  '(p_now), but not when it was recorded, and with the id of the request. For definer procedures: nobody else may '
  'insert there.';
