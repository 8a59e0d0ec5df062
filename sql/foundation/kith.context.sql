-- The context of a transaction: its tenant, user, caller and time. The server sets them for one transaction. Afterwards
-- the settings read '', which must mean "not set" and never raise an error. The functions have no SET clause, because
-- it would keep them from being inlined into the policies, which run for every row.

create or replace function kith.tenant_id() returns integer
  language sql
  stable
  parallel safe
as $$
  select nullif(current_setting('kith.tenant_id', true), '')::integer
$$;
comment on function kith.tenant_id()
  is 'The tenant of this transaction. Without one it is null, and kith_api sees no rows.';
grant execute on function kith.tenant_id() to kith_api, kith_worker, kith_reader;

create or replace function kith.user_id() returns uuid
  language sql
  stable
  parallel safe
as $$
  select nullif(current_setting('kith.user_id', true), '')::uuid
$$;
comment on function kith.user_id()
  is 'The user of this transaction; null for a tenant''s server, the worker and an operator.';
grant execute on function kith.user_id() to kith_api, kith_worker, kith_reader;

create or replace function kith.caller() returns text
  language sql
  stable
  parallel safe
as $$
  select nullif(current_setting('kith.actor', true), '')
$$;
comment on function kith.caller() is
  'The caller of this transaction''s request: user:<id> or key:<api key id>; null for the worker and an operator.';
grant execute on function kith.caller() to kith_api, kith_worker, kith_reader;

create or replace function kith.now() returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select coalesce(nullif(current_setting('kith.now', true), '')::timestamptz, pg_catalog.now())
$$;
comment on function kith.now() is
  'The instant of this request, for policies and views that ask whether a session is open: the value set by '
  'internal.vault_access, or else the database''s clock.';
grant execute on function kith.now() to kith_api, kith_worker, kith_reader;
