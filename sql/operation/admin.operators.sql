-- A login for each person, so that the audit names people. kith operator calls these as a superuser, or as a role that
-- may create roles and grant those of Kith. No other role may call them.

create or replace function internal.operator_mark() returns text
  language sql
  immutable
  parallel safe
as $$
  select 'An operator of Kith: kith operator list.'
$$;
comment on function internal.operator_mark()
  is 'The comment of each role that kith operator makes, which tells it from other roles.';

create or replace function internal.operator_roles() returns setof text
  language sql
  stable
as $$
  select rolname::text from pg_catalog.pg_roles
  where rolcanlogin and pg_catalog.shobj_description(oid, 'pg_authid') = internal.operator_mark()
$$;
comment on function internal.operator_roles() is
  'The roles of this cluster that kith operator has made and that can log in, also those that another database of the '
  'cluster knows.';

create or replace function internal.admit_operator(
  p_login text, p_verifier text, p_is_read_only boolean, p_tenant_id integer, p_by text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant text := (select slug from kith.tenants where tenant_id = p_tenant_id);
begin
  if exists (select from kith.operators where login = p_login) then
    raise exception 'conflict' using errcode = 'KT409', detail = format('%L is, or was, another operator.', p_login),
      hint = 'Choose another name: the audit names people by it.';
  end if;
  if p_verifier is not null then
    if exists (select from pg_catalog.pg_roles where rolname = p_login) then
      raise exception 'conflict'
        using errcode = 'KT409',
        detail = format('There is a role %L already, which kith operator did not make.', p_login);
    end if;
    execute format(
      'create role %I login nosuperuser nocreatedb nocreaterole nobypassrls noreplication inherit password %L', p_login,
      p_verifier
    );
    execute format('comment on role %I is %L', p_login, internal.operator_mark());
    -- A transaction that is left open holds up everybody's events.
    execute format('alter role %I set idle_in_transaction_session_timeout = ''60s''', p_login);
    execute format('alter role %I set lock_timeout = ''5s''', p_login);
    -- No login, lost or not, may take the connections that servers need.
    execute format('alter role %I connection limit 10', p_login);
  end if;
  -- The row comes first: a bound login without a row sees nothing.
  insert into kith.operators (login, only_tenant_id, is_read_only, created_at, created_by)
  values (p_login, p_tenant_id, p_is_read_only, p_now, p_by);
  if p_verifier is not null then
    if p_tenant_id is not null then
      execute format('grant kith_bound to %I', p_login);
    end if;
    execute format('grant %I to %I', case when p_is_read_only then 'kith_reader' else 'kith_admin' end, p_login);
  end if;
  perform internal.record_act(
    case when v_tenant is null then 0 else p_tenant_id end, p_by, 'operator.create', p_login,
    jsonb_build_object('read_only', p_is_read_only, 'tenant', coalesce(v_tenant, p_tenant_id::text))
  );
end
$$;
comment on function internal.admit_operator(text, text, boolean, integer, text, timestamptz) is
  'Lets an operator work in this database: for internal.create_operator, and in the other cells (decision 51), where '
  'the tenant to which the login is bound does not live. Makes the role with the SCRAM verifier of the password. With '
  'a null p_verifier the role exists, because another cell is a database of the same cluster.';

create or replace function internal.create_operator(
  p_login text, p_verifier text, p_is_read_only boolean, p_tenant text, p_by text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := (select tenant_id from kith.tenants where slug = p_tenant and deleted_at is null);
begin
  if coalesce(
    p_login !~ '^[a-z][a-z0-9_]{1,39}$' or p_login ~ '^(pg_|kith_)' or p_login in ('postgres', 'public', 'none'), true
  )
  then
    perform internal.refuse_fields(internal.field_error(
      'NAME', 'must be 2 to 40 of the characters a-z, 0-9 and _, begin with a letter, and not with pg_ or kith_'
    ));
  elsif p_tenant is not null and v_tenant is null then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('There is no tenant %L.', p_tenant),
      hint = 'kith tenant list shows them.';
  end if;
  perform internal.admit_operator(p_login, p_verifier, p_is_read_only, v_tenant, p_by, p_now);
end
$$;
comment on function internal.create_operator(text, text, boolean, text, text, timestamptz) is
  'Makes the login of an operator: one who acts, or with p_is_read_only one who reads; of all tenants, or of p_tenant. '
  'p_verifier is the SCRAM verifier of the password, which therefore never reaches the server or its log.';

create or replace function internal.end_operator(p_login text, p_by text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_role name;
  v_ended kith.operators;
begin
  update kith.operators set ended_at = p_now, ended_by = p_by where login = p_login and ended_at is null;
  -- A role may outlive its row: in a database that was restored to a time before it.
  if not found and not exists (select from internal.operator_roles() as role where role = p_login) then
    select * into v_ended from kith.operators where login = p_login;
    if found then
      raise exception 'invalid_transition' using errcode = 'KT409',
        detail = format(
          'The operator %L was ended at %s, by %s.', p_login, internal.shown_instant(v_ended.ended_at), v_ended.ended_by
        );
    end if;
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('There is no operator %L.', p_login),
      hint = 'kith operator list shows them.';
  end if;
  if exists (select from pg_catalog.pg_roles where rolname = p_login) then
    execute format('alter role %I nologin', p_login);
    for v_role in
      select granted.rolname from pg_catalog.pg_auth_members as membership
      join pg_catalog.pg_roles as granted on granted.oid = membership.roleid
      where membership.member = p_login::regrole
    loop
      execute format('revoke %I from %I', v_role, p_login);
    end loop;
    perform pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where usename = p_login;
  end if;
  perform internal.record_act(0, p_by, 'operator.end', p_login, null);
end
$$;
comment on function internal.end_operator(text, text, timestamptz) is
  'Ends an operator: they cannot log in any more, and their sessions end. The role stays without rights, so that '
  'nobody gets its name.';

drop view if exists admin.operators;
create view admin.operators with (security_barrier, security_invoker) as
select operator.login, case when operator.is_read_only then 'reads' else 'acts' end as may,
  coalesce(tenant.slug, placed.slug) as tenant,
  case
    when operator.ended_at is not null then 'ended'
    -- A cell beside the directory does not know the other cells' tenants.
    when operator.only_tenant_id = -1
      or operator.only_tenant_id is not null and coalesce(tenant.slug, placed.slug) is null
        and not exists (select from kith.cell_directory)
      then 'of a tenant that is purged'
    when not exists (select from pg_catalog.pg_roles where rolname = operator.login)
      then 'without a role: restored elsewhere?'
    else 'live'
  end as state,
  operator.created_at, operator.created_by, operator.ended_at, operator.ended_by
from kith.operators as operator
left join kith.tenants as tenant on tenant.tenant_id = operator.only_tenant_id
left join kith.tenant_cells as placed on placed.tenant_id = operator.only_tenant_id;
comment on view admin.operators
  is 'The logins that kith operator made: select * from admin.operators where state = ''live''.';
comment on column admin.operators.login is 'The login, as the audit names it after operator:.';
comment on column admin.operators.may is 'reads, or acts: calls the procedures too.';
comment on column admin.operators.tenant is 'The only tenant that they see; null for all.';
comment on column admin.operators.state
  is 'live, ended, of a tenant that is purged (they see nothing), or without a role.';
comment on column admin.operators.created_at is 'When the login was made.';
comment on column admin.operators.created_by is 'Who made it.';
comment on column admin.operators.ended_at is 'When it was ended.';
comment on column admin.operators.ended_by is 'Who ended it.';
grant select on admin.operators to kith_reader;
