-- Emergency access: a nominee gets into a vault after a wait that the owner can stop, when the nominee asks or the owner falls silent.

create table kith.emergency_settings (
  tenant_id integer not null,
  nominee_id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  wait_hours integer not null constraint emergency_settings_wait_in_bounds check (wait_hours between 1 and 2160),
  access_level text not null constraint emergency_settings_level_is_at_most_edit check (access_level in ('view', 'edit')),
  grant_hours integer not null default 72 constraint emergency_settings_grant_in_bounds check (grant_hours between 1 and 720),
  on_request boolean not null,
  after_missed_days integer constraint emergency_settings_days_in_bounds check (after_missed_days between 2 and 30),
  reject_on_check_in boolean not null default true,
  sign_of_life text not null default 'check_in'
    constraint emergency_settings_sign_of_life_is_known check (sign_of_life in ('check_in', 'any_use')),
  visible boolean not null default false,
  visible_since kith.instant,
  ended_at kith.instant,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  sources text[] not null default '{app,web,link,sms,voice}',
  constraint emergency_settings_pkey primary key (tenant_id, nominee_id),
  constraint emergency_settings_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade,
  constraint emergency_settings_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint emergency_settings_visible_since_when check (visible = (visible_since is not null)),
  constraint emergency_settings_start_somehow check (on_request or after_missed_days is not null),
  constraint emergency_settings_sources_are_known check (
    sources <@ array['app', 'web', 'link', 'sms', 'voice', 'sign'] and cardinality(sources) between 1 and 6
  )
);
create index emergency_settings_of_vault on kith.emergency_settings (tenant_id, vault_id);
create index emergency_settings_of_silence on kith.emergency_settings (tenant_id, owner_id)
  where after_missed_days is not null and ended_at is null;
create index emergency_settings_of_any_use on kith.emergency_settings (tenant_id, owner_id) where sign_of_life = 'any_use' and ended_at is null;
comment on table kith.emergency_settings is
  'The right of a nominee to get into a vault in an emergency, as its owner gave it (E01). Without a row there is no right.';
comment on column kith.emergency_settings.wait_hours is 'How long the owner can say no after the wait has begun: 1 hour to 90 days.';
comment on column kith.emergency_settings.access_level is 'What the nominee may do inside: view or edit, never full.';
comment on column kith.emergency_settings.grant_hours is 'How long the nominee can stay: 1 hour to 30 days.';
comment on column kith.emergency_settings.on_request is 'Whether the nominee can ask.';
comment on column kith.emergency_settings.after_missed_days is
  'After how many local days in a row without a sign of life the wait begins by itself; null for never (E03).';
comment on column kith.emergency_settings.reject_on_check_in is 'Whether a sign of life ends requests and grants without a further question.';
comment on column kith.emergency_settings.sign_of_life is 'What shows that the owner is alive: only a check-in, or any signed-in use.';
comment on column kith.emergency_settings.sources is
  'The sources of check-ins that end a request or a grant (J05). A check-in of another source only reminds the owner of it.';
comment on column kith.emergency_settings.visible is 'Whether the nominee sees the right and its wait.';
comment on column kith.emergency_settings.visible_since is
  'Since when the nominee sees the right; null if they do not. A wait by silence that had ended before stays hidden.';
comment on column kith.emergency_settings.ended_at is
  'When three rejections within 30 days (E02) or a block by the owner (E07) ended the right; null while it exists. The owner can give it anew.';
comment on column kith.emergency_settings.created_at is 'When the owner gave the right, or last gave it anew. Earlier rejections no longer count.';

create table kith.emergency_quorums (
  tenant_id integer not null,
  vault_id uuid not null,
  required integer not null constraint emergency_quorums_need_at_least_two check (required between 2 and 20),
  nominee_ids uuid[] not null,
  updated_at kith.instant not null,
  constraint emergency_quorums_pkey primary key (tenant_id, vault_id),
  constraint emergency_quorums_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint emergency_quorums_can_be_reached
    check (cardinality(nominee_ids) between required and 20 and array_position(nominee_ids, null) is null)
);
comment on table kith.emergency_quorums is
  'How many of which nominees of a vault must ask before the wait of any of them begins (E05). Without a row, each nominee asks alone.';

create table kith.emergency_requests (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  nominee_id uuid not null,
  owner_id uuid not null,
  user_id uuid not null,
  cause text not null constraint emergency_requests_cause_is_known check (cause in ('request', 'silence')),
  reason text constraint emergency_requests_reason_is_short check (char_length(reason) between 1 and 500),
  missed_days integer constraint emergency_requests_days_in_bounds check (missed_days >= 2),
  wait_hours integer not null constraint emergency_requests_wait_in_bounds check (wait_hours between 1 and 2160),
  access_level text not null constraint emergency_requests_level_is_at_most_edit check (access_level in ('view', 'edit')),
  grant_hours integer not null constraint emergency_requests_grant_in_bounds check (grant_hours between 1 and 720),
  reject_on_check_in boolean not null,
  sign_of_life text not null constraint emergency_requests_sign_of_life_is_known check (sign_of_life in ('check_in', 'any_use')),
  required integer not null constraint emergency_requests_require_somebody check (required between 1 and 20),
  requested_at kith.instant not null,
  stopped_at kith.instant,
  waits_from kith.instant,
  grants_at kith.instant,
  ends_at kith.instant,
  counted_to kith.instant,
  approved_at kith.instant,
  held_at kith.instant,
  held_until kith.instant,
  held_by text,
  hold_reason text constraint emergency_requests_hold_reason_is_short check (char_length(hold_reason) between 1 and 500),
  notice_at kith.instant,
  notice_id uuid,
  undelivered_since kith.instant,
  grant_told_at kith.instant,
  ended_at kith.instant,
  ended_by uuid,
  end_reason text constraint emergency_requests_end_reason_is_known check (
    end_reason in (
      'rejected', 'owner_returned', 'withdrawn', 'expired', 'revoked', 'inactive', 'declined', 'transferred', 'vault_deleted', 'account_deleted',
      'right_ended', 'quorum_not_reached', 'blocked'
    )
  ),
  sources text[] not null default '{app,web,link,sms,voice}',
  constraint emergency_requests_pkey primary key (tenant_id, id),
  constraint emergency_requests_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade,
  constraint emergency_requests_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint emergency_requests_of_silence_say_how_long check ((cause = 'silence') = (missed_days is not null)),
  constraint emergency_requests_waiting_have_their_instants check (
    (waits_from is null) = (grants_at is null) and (waits_from is null) = (ends_at is null) and (waits_from is null) = (counted_to is null)
    and grants_at >= waits_from and ends_at > grants_at
  ),
  constraint emergency_requests_sources_are_known check (
    sources <@ array['app', 'web', 'link', 'sms', 'voice', 'sign'] and cardinality(sources) between 1 and 6
  ),
  constraint emergency_requests_held_say_why check ((held_at is null) = (hold_reason is null) and (held_until is null or held_at is not null)),
  constraint emergency_requests_ended_say_why check ((ended_at is null) = (end_reason is null)),
  constraint emergency_requests_texts_are_short check (char_length(held_by) <= 300)
);
create unique index emergency_requests_one_open on kith.emergency_requests (tenant_id, nominee_id, cause) where ended_at is null;
create index emergency_requests_of_nominee on kith.emergency_requests (tenant_id, nominee_id, id);
create index emergency_requests_of_vault on kith.emergency_requests (tenant_id, vault_id, id);
create index emergency_requests_open_of_vault on kith.emergency_requests (tenant_id, vault_id) where ended_at is null;
create index emergency_requests_open_of_owner on kith.emergency_requests (tenant_id, owner_id) where ended_at is null;
create index emergency_requests_open_of_user on kith.emergency_requests (tenant_id, user_id) where ended_at is null;
create index emergency_requests_to_tell on kith.emergency_requests (notice_at) where ended_at is null;
create index emergency_requests_to_sweep on kith.emergency_requests (tenant_id, ended_at) where ended_at is not null;
create index emergency_requests_to_settle on kith.emergency_requests (counted_to) where ended_at is null and counted_to is not null;
comment on table kith.emergency_requests is
  'A wait for emergency access and the grant that follows it. The status is computed from the instants by internal.emergency_status and never stored. The terms are copied from the right when the request is made: nobody can shorten a wait that has begun. Ended requests are deleted, with their delays, after the tenant''s retention.';
comment on column kith.emergency_requests.owner_id is 'The owner of the vault when the request was made. A transfer ends all requests.';
comment on column kith.emergency_requests.user_id is 'The nominee''s account.';
comment on column kith.emergency_requests.cause is 'request: the nominee asked. silence: the owner missed too many days in a row. A nominee can have one open request of each cause: asking must not show whether a hidden silence waits.';
comment on column kith.emergency_requests.missed_days is 'How many days in a row the owner had missed when the wait began.';
comment on column kith.emergency_requests.required is 'How many nominees of the quorum must ask; 1 without a quorum.';
comment on column kith.emergency_requests.stopped_at is
  'When the wait last stopped because the quorum broke; null for never. The nominees have 30 days from then to reach it again.';
comment on column kith.emergency_requests.waits_from is 'When the wait began. Null while the quorum gathers.';
comment on column kith.emergency_requests.grants_at is
  'When the wait ends, with all delays until counted_to. internal.emergency_instants adds later outages, and is what every access asks.';
comment on column kith.emergency_requests.ends_at is 'When the grant ends, grant_hours after grants_at.';
comment on column kith.emergency_requests.counted_to is 'Outages of Kith until this instant are contained in grants_at.';
comment on column kith.emergency_requests.approved_at is 'When the owner approved: the grant began then, before the end of the wait.';
comment on column kith.emergency_requests.held_at is 'Since when an operator holds the request; null if nobody does.';
comment on column kith.emergency_requests.held_until is 'When the hold ends by itself; null for never.';
comment on column kith.emergency_requests.notice_at is 'When the worker has something to do next: a notice, a grant to tell, an end to record. Null for nothing.';
comment on column kith.emergency_requests.notice_id is 'The newest notification of the owner about this request.';
comment on column kith.emergency_requests.undelivered_since is
  'Since when no notice could be delivered to the owner on any channel; the wait stands still, at most for wait_hours (E06).';
comment on column kith.emergency_requests.grant_told_at is 'When owner and nominee were told of the grant.';

create table kith.emergency_delays (
  tenant_id integer not null,
  id uuid not null,
  request_id uuid not null,
  cause text not null constraint emergency_delays_cause_is_known check (cause in ('outage', 'suspension', 'undelivered', 'hold')),
  began_at kith.instant not null,
  ended_at kith.instant not null,
  grants_at kith.instant not null,
  recorded_at kith.instant not null,
  constraint emergency_delays_pkey primary key (tenant_id, id),
  constraint emergency_delays_request foreign key (tenant_id, request_id) references kith.emergency_requests (tenant_id, id) on delete cascade,
  constraint emergency_delays_end_after_they_begin check (ended_at > began_at)
);
create index emergency_delays_of_request on kith.emergency_delays (tenant_id, request_id, id);
comment on table kith.emergency_delays is
  'Time that did not count towards the wait of a request, and moved its grant (E06). A wait only ever becomes longer.';
comment on column kith.emergency_delays.grants_at is 'The instant of the grant after this delay.';

create table kith.signs_of_life (
  tenant_id integer not null,
  user_id uuid not null,
  seen_at kith.instant,
  answered_at kith.instant,
  recount_at kith.instant,
  constraint signs_of_life_pkey primary key (tenant_id, user_id),
  constraint signs_of_life_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade
);
create index signs_of_life_to_recount on kith.signs_of_life (recount_at) where recount_at is not null;
comment on table kith.signs_of_life is
  'Signs of life other than check-ins, of owners who have given somebody the right to emergency access. sender_profiles.last_check_in_at has the check-ins.';
comment on column kith.signs_of_life.seen_at is 'The last signed-in use, to the minute. Only kept while a right of the owner counts any use (E03).';
comment on column kith.signs_of_life.answered_at is 'When the owner last answered a request for emergency access, or gave a right to it.';
comment on column kith.signs_of_life.recount_at is
  'Since when the worker must count the owner''s missed days, because a ping was missed. Null if nothing has been missed since it last did.';
