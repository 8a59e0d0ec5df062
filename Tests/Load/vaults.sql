-- Gives each sender from load.first to load.last a vault with load.nominees accepted nominees.
create table if not exists load.vaults (n integer primary key, tenant_id integer, owner_id uuid, id uuid);

with made as (
  insert into load.vaults
  select n, tenant_id, user_id, internal.uuid7(now())
  from load.senders
  where n between current_setting('load.first')::integer and current_setting('load.last')::integer
  returning *
)
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tenant_id, id, owner_id, 'Papers of ' || n, now(), now() from made;

insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select vault.tenant_id, internal.uuid7(now()), vault.id, vault.owner_id, nominee.user_id, 'Nominee ' || nth, 'accepted', 'view', now(),
  vault.owner_id, now(), now()
from load.sizes
cross join load.vaults as vault
cross join generate_series(1, current_setting('load.nominees')::integer) as nth
join load.receivers as nominee on nominee.n = (vault.n + nth * tenants) % senders
where vault.n between current_setting('load.first')::integer and current_setting('load.last')::integer;
