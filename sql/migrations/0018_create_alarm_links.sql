-- The links by which receivers act in an alarm without signing in, and what becomes of their answers.

create table kith.alarm_links (
  tenant_id integer not null,
  token_hash bytea not null,
  alarm_id uuid not null,
  receiver_id uuid not null,
  channel text not null constraint alarm_links_channel_is_known check (channel in ('sms', 'email')),
  created_at kith.instant not null,
  constraint alarm_links_pkey primary key (tenant_id, token_hash),
  constraint alarm_links_receiver foreign key (tenant_id, receiver_id) references kith.users (tenant_id, id) on delete cascade,
  constraint alarm_links_token_hash_is_sha256 check (octet_length(token_hash) = 32)
);
create index alarm_links_by_age on kith.alarm_links (created_at);
create index alarm_links_of_receiver on kith.alarm_links (tenant_id, receiver_id);
comment on table kith.alarm_links is
  'The links in text messages and e-mails by which a receiver takes or ends an alarm without a sign-in (K11): one for each alarm, receiver '
  'and contact. The worker derives the token from the master key, so that every message about the alarm to the same contact has the same '
  'link (docs/decisions/0048).';
comment on column kith.alarm_links.token_hash is 'SHA-256 of the token in the link, which stands nowhere else in the database.';
comment on column kith.alarm_links.alarm_id is 'The alarm. The link is good while it is not resolved and the receiver has a part in it.';
comment on column kith.alarm_links.channel is 'The channel of the messages that have the link. A canary is heard on it (G10).';
