-- Alarms: what several people do together when somebody has not checked in, calls for help, or does not answer.
--
-- An import and a move write these rows without the procedures, so the constraints say what the procedures keep to: one plan or alarm that
-- no rule could have written could keep every later miss of its sender from being told. Where a row depends on another one,
-- internal.imported_alarm_objection looks at both. `x <= all (array)` is null for a null element, hence `is true`.

create domain kith.alarm_repeats as timestamptz[]
  constraint alarm_repeats_are_few check (cardinality(value) <= 4)
  constraint alarm_repeats_are_a_list check (array_ndims(value) = 1 and array_lower(value, 1) = 1)
  constraint alarm_repeats_are_finite check (('1900-01-01Z' <= all (value) and '10001-01-01Z' > all (value)) is true)
  constraint alarm_repeats_are_in_order check ((value[1] <= value[2] and value[2] <= value[3] and value[3] <= value[4]) is not false);
comment on domain kith.alarm_repeats is 'When an alarm that nobody has taken is told again, in order.';

create table kith.alarms (
  tenant_id integer not null,
  id uuid not null,
  sender_id uuid not null,
  kind text not null constraint alarms_kind_is_known check (kind in ('missed', 'help', 'unanswered', 'drill')),
  opened_at kith.instant not null,
  counts_from kith.instant not null,
  called_at kith.instant,
  take_minutes integer not null constraint alarms_take_minutes_in_bounds check (take_minutes between 5 and 120),
  repeats_at kith.alarm_repeats not null,
  repeats_told integer not null default 0,
  desk_at kith.instant,
  desk_told_at kith.instant,
  taken_by uuid,
  taken_by_desk kith.desk_name,
  taken_at kith.instant,
  taken_until kith.instant,
  checked_at kith.instant,
  resolved_at kith.instant,
  resolved_by uuid,
  resolved_by_desk kith.desk_name,
  outcome text constraint alarms_outcome_is_known check (outcome in ('checked_in', 'safe', 'help_called', 'false_alarm', 'expired')),
  expires_at kith.instant not null,
  next_at kith.instant,
  awaits_check_in boolean not null default false,
  constraint alarms_pkey primary key (tenant_id, id),
  constraint alarms_taken_says_until_when check ((taken_at is null) = (taken_until is null)),
  constraint alarms_taken_says_by_whom check ((taken_at is null) = (taken_by is null and taken_by_desk is null)),
  constraint alarms_one_takes check (taken_by is null or taken_by_desk is null),
  constraint alarms_are_taken_for_at_most_two_hours check (taken_until >= taken_at and taken_until - taken_at <= interval '2 hours'),
  constraint alarms_asks_a_taker check (checked_at is null or taken_at is not null and checked_at >= taken_at),
  constraint alarms_resolved_says_how check ((resolved_at is null) = (outcome is null)),
  constraint alarms_resolved_ones_rest check ((resolved_at is null) = (next_at is not null) and (resolved_at is null or taken_at is null)),
  constraint alarms_one_resolves check (
    (resolved_by is null or resolved_by_desk is null) and (resolved_at is not null or resolved_by is null and resolved_by_desk is null)
  ),
  constraint alarms_help_was_called check (kind <> 'help' or called_at is not null),
  constraint alarms_repeats_told_are_some_of_them check (repeats_told between 0 and cardinality(repeats_at)),
  constraint alarms_expire_after_at_most_seven_days check (expires_at - greatest(opened_at, counts_from) <= interval '7 days'),
  constraint alarms_repeats_come_within_the_alarm check (
    repeats_at[cardinality(repeats_at)] - greatest(opened_at, counts_from, expires_at) <= interval '12 hours'
  ),
  constraint alarms_next_is_not_after_the_end check (next_at <= expires_at)
) with (fillfactor = 80);
-- One alarm of a sender at a time (K01). A check-in looks here whether it ends one. A drill is not that alarm (K10).
create unique index alarms_one_unresolved on kith.alarms (tenant_id, sender_id) where resolved_at is null and kind <> 'drill';
create unique index alarms_one_drill on kith.alarms (tenant_id, sender_id) where resolved_at is null and kind = 'drill';
-- What the next check-in is still to be told of (K03). Nearly always empty.
create index alarms_awaiting_check_in on kith.alarms (tenant_id, sender_id) where awaits_check_in;
create index alarms_of_sender on kith.alarms (tenant_id, sender_id, id);
create index alarms_to_tell on kith.alarms (next_at) where next_at is not null;
create index alarms_of_tenant_to_tell on kith.alarms (tenant_id, next_at) where next_at is not null;
create index alarms_by_end on kith.alarms (resolved_at) where resolved_at is not null;
-- No row: it is set without waiting, and stays when a batch is rolled back, so that a tenant whose batch is cancelled comes last again.
create sequence kith.told_tenants as integer minvalue 0 start 0;
comment on sequence kith.told_tenants is
  'The tenant whose alarms were advanced last. The next call of worker.tell_alarms begins with the tenants after it.';
comment on table kith.alarms is
  'Work that several people share: somebody has not checked in, calls for help or does not answer (K01). open → taken → resolved, and back '
  'to open. The status follows from the row and the instant (internal.alarm_status); the worker only tells people. There is no foreign '
  'key to the sender: it would lock an account after its pings, and '
  'the end of an account locks them in the other order.';
comment on column kith.alarms.kind is
  'missed: a check-in is missing. help: the sender calls for help; an open alarm of another kind becomes one. unanswered: the sender did '
  'not answer a receiver''s question. drill: it only looks like an alarm.';
comment on column kith.alarms.counts_from is
  'The instant from which the minutes of tiers and repeats count: the deadline of the missed ping, or the judgement if that had to wait '
  'for an outage of Kith; otherwise the opening.';
comment on column kith.alarms.called_at is
  'When the sender first called for help in it. Each later call is an entry of its timeline. Null if they did not.';
comment on column kith.alarms.take_minutes is 'For how long a taker has it, by the sender''s plan when it opened.';
comment on column kith.alarms.repeats_at is 'When everybody who was told is told again. What passes while somebody has taken it is left out.';
comment on column kith.alarms.repeats_told is 'How many of repeats_at are past: told, or left out.';
comment on column kith.alarms.desk_at is
  'When the tenant''s desk is told (K09), or looked for again where the tenant has none. Null if the sender''s plan does not have it.';
comment on column kith.alarms.taken_by is 'The receiver who looks after it. Null while nobody does, and while the desk does.';
comment on column kith.alarms.taken_by_desk is 'The name of the person of the desk who looks after it, as the tenant''s server gave it.';
comment on column kith.alarms.taken_until is 'When the taker is asked whether they still look after it. Ten minutes later it is open again.';
comment on column kith.alarms.checked_at is 'When the taker was asked.';
comment on column kith.alarms.resolved_by is 'The sender or the receiver who ended it. Null if the desk did, or time.';
comment on column kith.alarms.expires_at is 'When it ends as expired if nobody has resolved it: after 7 days.';
comment on column kith.alarms.next_at is
  'When the worker has something to tell or to record next. Null for a resolved one only, so alarms_to_tell has all that are not resolved.';
comment on column kith.alarms.awaits_check_in is
  'Whether it ended by somebody''s word or by time, and those who were told have not yet heard of a check-in since.';

create table kith.alarm_receivers (
  tenant_id integer not null,
  alarm_id uuid not null,
  receiver_id uuid not null,
  connection_id uuid not null,
  tier integer not null constraint alarm_receivers_tier_in_bounds check (tier between 1 and 3),
  tell_at kith.instant not null,
  told_at kith.instant,
  left_at kith.instant,
  constraint alarm_receivers_pkey primary key (tenant_id, alarm_id, receiver_id)
);
create index alarm_receivers_of_receiver on kith.alarm_receivers (tenant_id, receiver_id, alarm_id);
comment on table kith.alarm_receivers is
  'Whom an alarm concerns: the receivers by the tiers of the sender''s plan when it opened. Who was told sees it and may act, until they '
  'leave. There is no foreign key to the alarm, because checking it for each row would make judging a miss 10% more expensive. Code that '
  'deletes alarms must delete these rows too.';
comment on column kith.alarm_receivers.tell_at is 'When the minutes of the receiver''s tier have passed.';
comment on column kith.alarm_receivers.told_at is 'When the receiver was first told. Null if they were not.';
comment on column kith.alarm_receivers.left_at is
  'When the receiver lost their part: the connection was removed, somebody blocked the other, or an account ended. Coming back gives no '
  'part in an old alarm.';

create table kith.alarm_entries (
  tenant_id integer not null,
  alarm_id uuid not null,
  id uuid not null,
  at kith.instant not null,
  kind text not null constraint alarm_entries_kind_is_known check (
    kind in (
      'missed', 'help', 'asked', 'desk_told', 'repeated', 'taken', 'still_on_it', 'released', 'declined', 'lapsed', 'resolved', 'reopened',
      'noted', 'card_viewed', 'left', 'checked_in', 'false_alarm', 'expired'
    )
  ),
  user_id uuid,
  desk kith.desk_name,
  note kith.note
    constraint alarm_entries_note_has_no_control_characters check (note !~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]'),
  outcome text constraint alarm_entries_outcome_is_known check (outcome in ('safe', 'help_called')),
  constraint alarm_entries_one_did_it check (user_id is null or desk is null),
  constraint alarm_entries_resolved_says_how check ((kind = 'resolved') = (outcome is not null)),
  constraint alarm_entries_pkey primary key (tenant_id, alarm_id, id),
  constraint alarm_entries_alarm foreign key (tenant_id, alarm_id) references kith.alarms on delete cascade
);
create index alarm_entries_of_user on kith.alarm_entries (tenant_id, user_id) where user_id is not null;
comment on table kith.alarm_entries is
  'What people did in an alarm, and what became of it. With its opening and its notifications, which stand elsewhere, it is the timeline '
  '(internal.alarm_timeline).';
comment on column kith.alarm_entries.user_id is 'Who did it. Null for the desk, and for what time did.';
comment on column kith.alarm_entries.desk is 'The name of the person of the tenant''s desk who did it.';
comment on column kith.alarm_entries.note is 'What that person wrote.';
comment on column kith.alarm_entries.outcome is 'How it was resolved, for the kind resolved.';

create table kith.alarm_plans (
  tenant_id integer not null,
  user_id uuid not null,
  after_minutes integer[] not null constraint alarm_plans_tiers_are_few check (cardinality(after_minutes) between 1 and 3)
    constraint alarm_plans_tiers_are_a_list check (array_ndims(after_minutes) = 1 and array_lower(after_minutes, 1) = 1)
    constraint alarm_plans_tiers_in_bounds check ((0 <= all (after_minutes) and 720 >= all (after_minutes)) is true)
    constraint alarm_plans_tiers_are_in_order check (
      (after_minutes[1] < after_minutes[2] and after_minutes[2] < after_minutes[3]) is not false
    ),
  desk_tier integer constraint alarm_plans_desk_tier_in_bounds check (desk_tier between 1 and 3),
  repeat_minutes integer[] not null constraint alarm_plans_repeats_are_few check (cardinality(repeat_minutes) <= 4)
    constraint alarm_plans_repeats_are_a_list check (array_ndims(repeat_minutes) = 1 and array_lower(repeat_minutes, 1) = 1)
    constraint alarm_plans_repeats_in_bounds check ((10 <= all (repeat_minutes) and 720 >= all (repeat_minutes)) is true)
    constraint alarm_plans_repeats_are_in_order check (
      (repeat_minutes[1] < repeat_minutes[2] and repeat_minutes[2] < repeat_minutes[3] and repeat_minutes[3] < repeat_minutes[4]) is not false
    ),
  take_minutes integer not null constraint alarm_plans_take_minutes_in_bounds check (take_minutes between 5 and 120),
  answer_minutes integer not null constraint alarm_plans_answer_minutes_in_bounds check (answer_minutes between 10 and 120),
  receivers_know_each_other boolean not null,
  updated_at kith.instant not null,
  constraint alarm_plans_pkey primary key (tenant_id, user_id),
  constraint alarm_plans_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade,
  constraint alarm_plans_desk_is_in_the_last_tier check (desk_tier = cardinality(after_minutes))
);
comment on table kith.alarm_plans is
  'What a sender wants when an alarm sounds (K04). Whoever has no row has the plan of internal.default_plan: everybody at the deadline.';
comment on column kith.alarm_plans.after_minutes is 'After how many minutes each tier is told, ascending.';
comment on column kith.alarm_plans.desk_tier is 'The tier with which the tenant''s desk is told: the last one. Null for none.';

create table kith.alarm_plan_receivers (
  tenant_id integer not null,
  user_id uuid not null,
  connection_id uuid not null,
  tier integer not null constraint alarm_plan_receivers_tier_in_bounds check (tier between 1 and 3),
  constraint alarm_plan_receivers_pkey primary key (tenant_id, user_id, connection_id),
  constraint alarm_plan_receivers_plan foreign key (tenant_id, user_id) references kith.alarm_plans on delete cascade
);
comment on table kith.alarm_plan_receivers is 'The tier of a receiver in the sender''s plan. Whoever has no row is in the last tier that is not the desk''s alone.';

create table kith.asks (
  tenant_id integer not null,
  id uuid not null,
  connection_id uuid not null,
  sender_id uuid not null,
  receiver_id uuid not null,
  asked_at kith.instant not null,
  answer_by kith.instant not null,
  ended_at kith.instant,
  is_answered boolean,
  constraint asks_pkey primary key (tenant_id, id),
  constraint asks_answer_comes_later check (answer_by > asked_at),
  constraint asks_sender_is_not_receiver check (sender_id <> receiver_id),
  constraint asks_ended_says_how check ((ended_at is null) = (is_answered is null))
);
create unique index asks_one_open on kith.asks (tenant_id, sender_id, receiver_id) where ended_at is null;
create index asks_of_connection on kith.asks (tenant_id, connection_id, asked_at);
create index asks_by_end on kith.asks (ended_at) where ended_at is not null;
create index asks_to_end on kith.asks (answer_by) where ended_at is null;
create index asks_of_tenant_to_end on kith.asks (tenant_id, answer_by) where ended_at is null;
comment on table kith.asks is '"Are you OK?": a receiver''s question, which a check-in answers (K06). There is no foreign key to the accounts, as in kith.alarms.';
comment on column kith.asks.answer_by is 'When an alarm of kind unanswered opens if the sender has not checked in.';
comment on column kith.asks.is_answered is 'Whether a check-in answered it. False if it ended in another way.';

create table kith.care_cards (
  tenant_id integer not null,
  user_id uuid not null,
  sealed_key bytea not null constraint care_cards_sealed_key_is_short check (octet_length(sealed_key) <= 200),
  sealed_card bytea not null constraint care_cards_sealed_card_is_short check (octet_length(sealed_card) <= 16384),
  updated_at kith.instant not null,
  constraint care_cards_pkey primary key (tenant_id, user_id),
  constraint care_cards_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade
);
comment on table kith.care_cards is
  'What somebody who goes to look should know about a person (K07), sealed by the server. PostgreSQL never sees it.';
comment on column kith.care_cards.sealed_key is 'The key of the card, sealed under the master key and bound to tenant and user.';
comment on column kith.care_cards.sealed_card is 'The sections as JSON, sealed under that key.';

create table kith.places (
  tenant_id integer not null,
  user_id uuid not null,
  sealed_key bytea not null constraint places_sealed_key_is_short check (octet_length(sealed_key) <= 200),
  sealed_place bytea not null constraint places_sealed_place_is_short check (octet_length(sealed_place) <= 1000),
  received_at kith.instant not null,
  located_at kith.instant,
  constraint places_pkey primary key (tenant_id, user_id),
  constraint places_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade
);
create index places_by_age on kith.places (received_at);
comment on table kith.places is
  'Where a person was when they last said so with a check-in or a call for help (K08), sealed by the server. Only the newest one is kept, '
  'for 7 days.';
comment on column kith.places.sealed_key is 'The key of the place, sealed under the master key and bound to tenant and user.';
comment on column kith.places.sealed_place is '{latitude, longitude, accuracy_meters, at} as JSON, sealed under that key.';
comment on column kith.places.located_at is
  'When the device was there. A place that arrives late does not replace a newer one. Null where the device did not say.';

create table kith.card_views (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  viewer_id uuid not null,
  at kith.instant not null,
  constraint card_views_pkey primary key (tenant_id, user_id, id)
);
create index card_views_by_age on kith.card_views (at);
comment on table kith.card_views is
  'Who has seen a care card without an alarm (K07). Views in an alarm stand in its timeline. Kept for 90 days.';
comment on column kith.card_views.user_id is 'Whose card it is.';
