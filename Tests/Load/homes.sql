-- Gives each of the first load.homes senders load.guarded receivers in total, connected over the last year: neighbouring receivers to
-- whom they were not connected yet; and load.vaults_each vaults with five accepted nominees each.
create table load.homes as
select n, tenant_id, user_id
from load.senders
where n < current_setting('load.homes')::integer;

insert into kith.connections
  (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select home.tenant_id, internal.uuid7(at), home.user_id, receiver.user_id, 'active', receiver.user_id, at, at, at
from load.sizes
cross join load.homes as home
cross join generate_series(1, current_setting('load.guarded')::integer - connections / senders) as nth
cross join lateral (select now() - nth * interval '1 day' as at) as made
-- The receivers of population.sql are at multiples of 13.
join load.receivers as receiver on receiver.n = (home.n + (nth * 13 + 1) * tenants) % senders;

create table load.home_vaults as
select home.n, nth, home.tenant_id, home.user_id as owner_id, internal.uuid7(now() - nth * interval '1 day') as id
from load.homes as home
cross join generate_series(1, current_setting('load.vaults_each')::integer) as nth;

insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tenant_id, id, owner_id, 'Papers ' || nth, now(), now() from load.home_vaults;

insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select vault.tenant_id, internal.uuid7(now()), vault.id, vault.owner_id, receiver.user_id, 'Nominee ' || nominee, 'accepted', 'view', now(),
  vault.owner_id, now(), now()
from load.sizes
cross join load.home_vaults as vault
cross join generate_series(1, 5) as nominee
join load.receivers as receiver on receiver.n = (vault.n + nominee * tenants) % senders;
