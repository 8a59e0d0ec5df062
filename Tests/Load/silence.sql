-- Gives every sender a vault and a nominee with a right that begins after 30 missed days. load.missed says how many in a thousand senders
-- have missed every ping of the date load.date; all others completed theirs, as on the days before.
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tenant_id, internal.uuid7(now()), user_id, 'Papers', now(), now() from load.senders;

insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select vault.tenant_id, internal.uuid7(now()), vault.id, vault.owner_id, receiver.user_id, 'Bob', 'accepted', 'view', now(), vault.owner_id,
  now(), now()
from load.senders as sender
join kith.vaults as vault on vault.tenant_id = sender.tenant_id and vault.owner_id = sender.user_id
join load.receivers as receiver on receiver.n = sender.n;

insert into kith.emergency_settings (
  tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, on_request, after_missed_days, created_at, updated_at
)
select tenant_id, id, vault_id, owner_id, 72, 'view', false, 30, now(), now() from kith.nominees;

insert into kith.signs_of_life (tenant_id, user_id) select tenant_id, user_id from load.senders;

update kith.sender_profiles
set last_check_in_at = (current_setting('load.date')::date - 1 + ping_time) at time zone time_zone;

insert into kith.pings (
  tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, asked_at
)
select connection.tenant_id, day.ping_on, connection.id, gen_random_uuid(), connection.sender_id, connection.receiver_id,
  case when day.missed then 'missed' else 'completed' end, planned.at, planned.at + interval '90 minutes',
  case when not day.missed then planned.at end, planned.at
from load.senders as sender
cross join lateral (
  select current_setting('load.date')::date as ping_on, sender.n * 7919::bigint % 1000 < current_setting('load.missed')::integer as missed
) as day
join kith.sender_profiles as profile on profile.tenant_id = sender.tenant_id and profile.user_id = sender.user_id
cross join lateral (select (day.ping_on + profile.ping_time) at time zone profile.time_zone as at offset 0) as planned
join kith.connections as connection on connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id;
