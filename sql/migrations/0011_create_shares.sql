-- Links of vaults to sharing services such as CloudKit.

create table kith.shares (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  record_name text not null constraint shares_record_name_is_short check (char_length(record_name) between 1 and 255),
  url text constraint shares_url_is_https check (url ~ '^https://[^[:space:]]+$' and char_length(url) <= 2000),
  permission text not null default 'readOnly' constraint shares_permission_is_known check (permission in ('readOnly', 'readWrite')),
  created_at kith.instant not null,
  updated_at kith.instant not null,
  ended_at kith.instant,
  missing_at kith.instant,
  constraint shares_missing_are_ended check (missing_at is null or ended_at is not null),
  constraint shares_pkey primary key (tenant_id, id),
  constraint shares_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade
);
create unique index shares_one_live_per_vault on kith.shares (tenant_id, vault_id) where ended_at is null;
create index shares_of_owner on kith.shares (tenant_id, owner_id, id);
-- For what must reach all shares of a vault, including the ended ones.
create index shares_of_vault on kith.shares (tenant_id, vault_id);
comment on table kith.shares is 'A vault''s link to an external sharing service such as CloudKit (C01).';
comment on column kith.shares.record_name is 'The service''s name for the share. Kith does not interpret it.';
comment on column kith.shares.missing_at is
  'When the app reported that the service no longer has the record. The share that is made next takes over its participants (C08).';

create table kith.share_participants (
  tenant_id integer not null,
  share_id uuid not null,
  participant_id text not null constraint share_participants_id_is_short check (char_length(participant_id) between 1 and 255),
  nominee_id uuid not null,
  acceptance_status text not null constraint share_participants_acceptance_is_known
    check (acceptance_status in ('unknown', 'pending', 'accepted', 'removed')),
  permission text not null constraint share_participants_permission_is_known check (permission in ('unknown', 'none', 'readOnly', 'readWrite')),
  role text not null constraint share_participants_role_is_known check (role in ('unknown', 'privateUser', 'publicUser')),
  updated_at kith.instant not null,
  removed_at kith.instant,
  constraint share_participants_pkey primary key (tenant_id, share_id, participant_id),
  constraint share_participants_share foreign key (tenant_id, share_id) references kith.shares (tenant_id, id) on delete cascade,
  constraint share_participants_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade
);
create index share_participants_of_nominee on kith.share_participants (tenant_id, nominee_id);
comment on table kith.share_participants is
  'A participant of a share as the service last reported it, and the nominee made from it. Name, phone and e-mail are in the nominee''s row.';
comment on column kith.share_participants.nominee_id is
  'The newest nominee of the participant. If the participant is removed and comes back, that is another nominee.';
