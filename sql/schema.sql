CREATE DOMAIN kith.alarm_repeats AS timestamp with time zone[]
	CONSTRAINT alarm_repeats_are_a_list CHECK (((array_ndims(VALUE) = 1) AND (array_lower(VALUE, 1) = 1)))
	CONSTRAINT alarm_repeats_are_few CHECK ((cardinality(VALUE) <= 4))
	CONSTRAINT alarm_repeats_are_finite CHECK (((('1900-01-01 00:00:00+00'::timestamp with time zone <= ALL (VALUE)) AND ('10001-01-01 00:00:00+00'::timestamp with time zone > ALL (VALUE))) IS TRUE))
	CONSTRAINT alarm_repeats_are_in_order CHECK (((((VALUE)[1] <= (VALUE)[2]) AND ((VALUE)[2] <= (VALUE)[3]) AND ((VALUE)[3] <= (VALUE)[4])) IS NOT FALSE));

COMMENT ON DOMAIN kith.alarm_repeats IS 'When an alarm that nobody has taken is told again, in order.';

CREATE DOMAIN kith.calendar_date AS date
	CONSTRAINT calendar_dates_are_finite CHECK (((VALUE >= '1900-01-01'::date) AND (VALUE < '10001-01-01'::date)));

COMMENT ON DOMAIN kith.calendar_date IS 'A date of the years of kith.instant. The type of every column with a date.';

CREATE DOMAIN kith.check_in_source AS text
	CONSTRAINT check_in_source_is_known CHECK ((VALUE = ANY (ARRAY['app'::text, 'web'::text, 'link'::text, 'sms'::text, 'voice'::text, 'sign'::text])));

COMMENT ON DOMAIN kith.check_in_source IS 'How a check-in came (J05).';

CREATE DOMAIN kith.desk_name AS text
	CONSTRAINT desk_names_are_one_line CHECK ((VALUE !~ '[\u0001-\u001F\u007F-\u009F]'::text))
	CONSTRAINT desk_names_are_short CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 100)));

COMMENT ON DOMAIN kith.desk_name IS 'The name of a person of a tenant''s desk, as its server gave it.';

CREATE DOMAIN kith.instant AS timestamp with time zone
	CONSTRAINT instants_are_finite CHECK (((VALUE >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (VALUE < '10001-01-01 00:00:00+00'::timestamp with time zone)));

COMMENT ON DOMAIN kith.instant IS 'An instant of the years that Kith knows, so that no batch stumbles over infinity. The type of every column with an instant; procedures have parameters of timestamptz.';

CREATE DOMAIN kith.note AS text
	CONSTRAINT notes_are_short CHECK (((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 500)));

COMMENT ON DOMAIN kith.note IS 'What somebody adds to a check-in or to an alarm (P40).';

CREATE DOMAIN kith.notification_data AS jsonb
	CONSTRAINT notification_data_has_its_shape CHECK (((jsonb_typeof(VALUE) = 'object'::text) AND (pg_column_size(VALUE) <= 8192) AND (((VALUE ->> 'date'::text) IS NULL) OR (((VALUE ->> 'date'::text) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'::text) AND (((VALUE ->> 'date'::text))::date >= '1900-01-01'::date))) AND (((((VALUE - '{connection_id,ping_id,user_id,date,minutes,alarm_id}'::text[]) = '{}'::jsonb) AND ((NOT (VALUE ? 'minutes'::text)) OR (jsonb_typeof((VALUE -> 'minutes'::text)) = 'number'::text)) AND (char_length((VALUE ->> 'connection_id'::text)) = 36) AND (char_length((VALUE ->> 'ping_id'::text)) = 36) AND (char_length(COALESCE((VALUE ->> 'user_id'::text), (VALUE ->> 'ping_id'::text))) = 36) AND (((((VALUE ->> 'connection_id'::text) || (VALUE ->> 'ping_id'::text)) || COALESCE((VALUE ->> 'user_id'::text), (VALUE ->> 'ping_id'::text))) || COALESCE((VALUE ->> 'alarm_id'::text), (VALUE ->> 'ping_id'::text))) ~~ repeat('________-____-____-____-____________'::text, 4)) AND (char_length(replace(((((VALUE ->> 'connection_id'::text) || (VALUE ->> 'ping_id'::text)) || COALESCE((VALUE ->> 'user_id'::text), (VALUE ->> 'ping_id'::text))) || COALESCE((VALUE ->> 'alarm_id'::text), (VALUE ->> 'ping_id'::text))), '-'::text, ''::text)) = 128) AND (((((VALUE ->> 'connection_id'::text) || (VALUE ->> 'ping_id'::text)) || COALESCE((VALUE ->> 'user_id'::text), (VALUE ->> 'ping_id'::text))) || COALESCE((VALUE ->> 'alarm_id'::text), (VALUE ->> 'ping_id'::text))) !~ '[^0-9a-f-]'::text)) IS TRUE) OR (NOT (VALUE @? '$.keyvalue()?((@."value".type() == "object" || @."key" like_regex "(^|_)id$" && !(@."value".type() == "null" || @."value".type() == "string" && @."value" like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")) || @."key" like_regex "_at$" && !(@."value".type() == "null" || @."value".type() == "string" && @."value" like_regex "^[0-9]{4,5}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z$"))'::jsonpath)))));

COMMENT ON DOMAIN kith.notification_data IS 'What a notification is about: ids, dates and instants that batches cast and clients read.';

CREATE DOMAIN kith.reminders AS jsonb
	CONSTRAINT reminders_are_few CHECK (((jsonb_typeof(VALUE) = 'array'::text) AND ((jsonb_array_length(VALUE) >= 1) AND (jsonb_array_length(VALUE) <= 4))));

COMMENT ON DOMAIN kith.reminders IS 'The reminders of a sender, in the order of their minutes before the deadline (J06).';

CREATE DOMAIN kith.time_of_day AS time(0) without time zone
	CONSTRAINT times_of_day_are_before_midnight CHECK ((VALUE < '24:00:00'::time without time zone));

COMMENT ON DOMAIN kith.time_of_day IS 'A time of day, to the second. PostgreSQL''s own type also has 24:00.';

ALTER TABLE ONLY kith.audit ATTACH PARTITION kith.audit_default DEFAULT;

ALTER TABLE ONLY kith.deliveries ATTACH PARTITION kith.deliveries_default DEFAULT;

ALTER TABLE ONLY kith.events ATTACH PARTITION kith.events_default DEFAULT;

ALTER TABLE ONLY kith.history ATTACH PARTITION kith.history_default DEFAULT;

ALTER TABLE ONLY kith.notifications ATTACH PARTITION kith.notifications_default DEFAULT;

ALTER TABLE ONLY kith.pings ATTACH PARTITION kith.pings_default DEFAULT;

CREATE TABLE kith.act_counts (
    tenant_id integer NOT NULL,
    actor_id uuid NOT NULL,
    act text NOT NULL,
    counted_on kith.calendar_date NOT NULL,
    acts integer NOT NULL,
    CONSTRAINT act_counts_act_is_short CHECK (((char_length(act) >= 1) AND (char_length(act) <= 30)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY kith.act_counts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.act_counts IS 'How often a user did something on one UTC date. internal.acts_a_day has the limits. There is one row for each user and act, updated in place. There is no foreign key, because the row is locked before anything else, and a foreign key would lock the account after it.';

COMMENT ON COLUMN kith.act_counts.actor_id IS 'A user, or the nil UUID for the tenant''s server.';

COMMENT ON COLUMN kith.act_counts.counted_on IS 'The UTC date of the count. On another date, the count begins at 1.';

CREATE TABLE kith.alarm_entries (
    tenant_id integer NOT NULL,
    alarm_id uuid NOT NULL,
    id uuid NOT NULL,
    at kith.instant NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    desk kith.desk_name,
    note kith.note,
    outcome text,
    CONSTRAINT alarm_entries_kind_is_known CHECK ((kind = ANY (ARRAY['missed'::text, 'help'::text, 'asked'::text, 'desk_told'::text, 'repeated'::text, 'taken'::text, 'still_on_it'::text, 'released'::text, 'declined'::text, 'lapsed'::text, 'resolved'::text, 'reopened'::text, 'noted'::text, 'card_viewed'::text, 'left'::text, 'checked_in'::text, 'false_alarm'::text, 'expired'::text]))),
    CONSTRAINT alarm_entries_note_has_no_control_characters CHECK (((note)::text !~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]'::text)),
    CONSTRAINT alarm_entries_one_did_it CHECK (((user_id IS NULL) OR (desk IS NULL))),
    CONSTRAINT alarm_entries_outcome_is_known CHECK ((outcome = ANY (ARRAY['safe'::text, 'help_called'::text]))),
    CONSTRAINT alarm_entries_resolved_says_how CHECK (((kind = 'resolved'::text) = (outcome IS NOT NULL)))
);

ALTER TABLE ONLY kith.alarm_entries FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarm_entries IS 'What people did in an alarm, and what became of it. With its opening and its notifications, which stand elsewhere, it is the timeline (internal.alarm_timeline).';

COMMENT ON COLUMN kith.alarm_entries.user_id IS 'Who did it. Null for the desk, and for what time did.';

COMMENT ON COLUMN kith.alarm_entries.desk IS 'The name of the person of the tenant''s desk who did it.';

COMMENT ON COLUMN kith.alarm_entries.note IS 'What that person wrote.';

COMMENT ON COLUMN kith.alarm_entries.outcome IS 'How it was resolved, for the kind resolved.';

CREATE TABLE kith.alarm_links (
    tenant_id integer NOT NULL,
    token_hash bytea NOT NULL,
    alarm_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    channel text NOT NULL,
    created_at kith.instant NOT NULL,
    CONSTRAINT alarm_links_channel_is_known CHECK ((channel = ANY (ARRAY['sms'::text, 'email'::text]))),
    CONSTRAINT alarm_links_token_hash_is_sha256 CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY kith.alarm_links FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarm_links IS 'The links in text messages and e-mails by which a receiver takes or ends an alarm without a sign-in (K11): one for each alarm, receiver and contact. The worker derives the token from the master key, so that every message about the alarm to the same contact has the same link (docs/decisions/0048).';

COMMENT ON COLUMN kith.alarm_links.token_hash IS 'SHA-256 of the token in the link, which stands nowhere else in the database.';

COMMENT ON COLUMN kith.alarm_links.alarm_id IS 'The alarm. The link is good while it is not resolved and the receiver has a part in it.';

COMMENT ON COLUMN kith.alarm_links.channel IS 'The channel of the messages that have the link. A canary is heard on it (G10).';

CREATE TABLE kith.alarm_plan_receivers (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    tier integer NOT NULL,
    CONSTRAINT alarm_plan_receivers_tier_in_bounds CHECK (((tier >= 1) AND (tier <= 3)))
);

ALTER TABLE ONLY kith.alarm_plan_receivers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarm_plan_receivers IS 'The tier of a receiver in the sender''s plan. Whoever has no row is in the last tier that is not the desk''s alone.';

CREATE TABLE kith.alarm_plans (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    after_minutes integer[] NOT NULL,
    desk_tier integer,
    repeat_minutes integer[] NOT NULL,
    take_minutes integer NOT NULL,
    answer_minutes integer NOT NULL,
    receivers_know_each_other boolean NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT alarm_plans_answer_minutes_in_bounds CHECK (((answer_minutes >= 10) AND (answer_minutes <= 120))),
    CONSTRAINT alarm_plans_desk_is_in_the_last_tier CHECK ((desk_tier = cardinality(after_minutes))),
    CONSTRAINT alarm_plans_desk_tier_in_bounds CHECK (((desk_tier >= 1) AND (desk_tier <= 3))),
    CONSTRAINT alarm_plans_repeats_are_a_list CHECK (((array_ndims(repeat_minutes) = 1) AND (array_lower(repeat_minutes, 1) = 1))),
    CONSTRAINT alarm_plans_repeats_are_few CHECK ((cardinality(repeat_minutes) <= 4)),
    CONSTRAINT alarm_plans_repeats_are_in_order CHECK ((((repeat_minutes[1] < repeat_minutes[2]) AND (repeat_minutes[2] < repeat_minutes[3]) AND (repeat_minutes[3] < repeat_minutes[4])) IS NOT FALSE)),
    CONSTRAINT alarm_plans_repeats_in_bounds CHECK ((((10 <= ALL (repeat_minutes)) AND (720 >= ALL (repeat_minutes))) IS TRUE)),
    CONSTRAINT alarm_plans_take_minutes_in_bounds CHECK (((take_minutes >= 5) AND (take_minutes <= 120))),
    CONSTRAINT alarm_plans_tiers_are_a_list CHECK (((array_ndims(after_minutes) = 1) AND (array_lower(after_minutes, 1) = 1))),
    CONSTRAINT alarm_plans_tiers_are_few CHECK (((cardinality(after_minutes) >= 1) AND (cardinality(after_minutes) <= 3))),
    CONSTRAINT alarm_plans_tiers_are_in_order CHECK ((((after_minutes[1] < after_minutes[2]) AND (after_minutes[2] < after_minutes[3])) IS NOT FALSE)),
    CONSTRAINT alarm_plans_tiers_in_bounds CHECK ((((0 <= ALL (after_minutes)) AND (720 >= ALL (after_minutes))) IS TRUE))
);

ALTER TABLE ONLY kith.alarm_plans FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarm_plans IS 'What a sender wants when an alarm sounds (K04). Whoever has no row has the plan of internal.default_plan: everybody at the deadline.';

COMMENT ON COLUMN kith.alarm_plans.after_minutes IS 'After how many minutes each tier is told, ascending.';

COMMENT ON COLUMN kith.alarm_plans.desk_tier IS 'The tier with which the tenant''s desk is told: the last one. Null for none.';

CREATE TABLE kith.alarm_receivers (
    tenant_id integer NOT NULL,
    alarm_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    tier integer NOT NULL,
    tell_at kith.instant NOT NULL,
    told_at kith.instant,
    left_at kith.instant,
    CONSTRAINT alarm_receivers_tier_in_bounds CHECK (((tier >= 1) AND (tier <= 3)))
);

ALTER TABLE ONLY kith.alarm_receivers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarm_receivers IS 'Whom an alarm concerns: the receivers by the tiers of the sender''s plan when it opened. Who was told sees it and may act, until they leave. There is no foreign key to the alarm, because checking it for each row would make judging a miss 10% more expensive. Code that deletes alarms must delete these rows too.';

COMMENT ON COLUMN kith.alarm_receivers.tell_at IS 'When the minutes of the receiver''s tier have passed.';

COMMENT ON COLUMN kith.alarm_receivers.told_at IS 'When the receiver was first told. Null if they were not.';

COMMENT ON COLUMN kith.alarm_receivers.left_at IS 'When the receiver lost their part: the connection was removed, somebody blocked the other, or an account ended. Coming back gives no part in an old alarm.';

CREATE TABLE kith.alarms (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    kind text NOT NULL,
    opened_at kith.instant NOT NULL,
    counts_from kith.instant NOT NULL,
    called_at kith.instant,
    take_minutes integer NOT NULL,
    repeats_at kith.alarm_repeats NOT NULL,
    repeats_told integer DEFAULT 0 NOT NULL,
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
    outcome text,
    expires_at kith.instant NOT NULL,
    next_at kith.instant,
    awaits_check_in boolean DEFAULT false NOT NULL,
    CONSTRAINT alarms_are_taken_for_at_most_two_hours CHECK ((((taken_until)::timestamp with time zone >= (taken_at)::timestamp with time zone) AND (((taken_until)::timestamp with time zone - (taken_at)::timestamp with time zone) <= '02:00:00'::interval))),
    CONSTRAINT alarms_asks_a_taker CHECK (((checked_at IS NULL) OR ((taken_at IS NOT NULL) AND ((checked_at)::timestamp with time zone >= (taken_at)::timestamp with time zone)))),
    CONSTRAINT alarms_expire_after_at_most_seven_days CHECK ((((expires_at)::timestamp with time zone - (GREATEST(opened_at, counts_from))::timestamp with time zone) <= '7 days'::interval)),
    CONSTRAINT alarms_help_was_called CHECK (((kind <> 'help'::text) OR (called_at IS NOT NULL))),
    CONSTRAINT alarms_kind_is_known CHECK ((kind = ANY (ARRAY['missed'::text, 'help'::text, 'unanswered'::text, 'drill'::text]))),
    CONSTRAINT alarms_next_is_not_after_the_end CHECK (((next_at)::timestamp with time zone <= (expires_at)::timestamp with time zone)),
    CONSTRAINT alarms_one_resolves CHECK ((((resolved_by IS NULL) OR (resolved_by_desk IS NULL)) AND ((resolved_at IS NOT NULL) OR ((resolved_by IS NULL) AND (resolved_by_desk IS NULL))))),
    CONSTRAINT alarms_one_takes CHECK (((taken_by IS NULL) OR (taken_by_desk IS NULL))),
    CONSTRAINT alarms_outcome_is_known CHECK ((outcome = ANY (ARRAY['checked_in'::text, 'safe'::text, 'help_called'::text, 'false_alarm'::text, 'expired'::text]))),
    CONSTRAINT alarms_repeats_come_within_the_alarm CHECK (((repeats_at[cardinality((repeats_at)::timestamp with time zone[])] - (GREATEST(opened_at, counts_from, expires_at))::timestamp with time zone) <= '12:00:00'::interval)),
    CONSTRAINT alarms_repeats_told_are_some_of_them CHECK (((repeats_told >= 0) AND (repeats_told <= cardinality((repeats_at)::timestamp with time zone[])))),
    CONSTRAINT alarms_resolved_ones_rest CHECK ((((resolved_at IS NULL) = (next_at IS NOT NULL)) AND ((resolved_at IS NULL) OR (taken_at IS NULL)))),
    CONSTRAINT alarms_resolved_says_how CHECK (((resolved_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT alarms_take_minutes_in_bounds CHECK (((take_minutes >= 5) AND (take_minutes <= 120))),
    CONSTRAINT alarms_taken_says_by_whom CHECK (((taken_at IS NULL) = ((taken_by IS NULL) AND (taken_by_desk IS NULL)))),
    CONSTRAINT alarms_taken_says_until_when CHECK (((taken_at IS NULL) = (taken_until IS NULL)))
)
WITH (fillfactor='80');

ALTER TABLE ONLY kith.alarms FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.alarms IS 'Work that several people share: somebody has not checked in, calls for help or does not answer (K01). open → taken → resolved, and back to open. The status follows from the row and the instant (internal.alarm_status); the worker only tells people. There is no foreign key to the sender: it would lock an account after its pings, and the end of an account locks them in the other order.';

COMMENT ON COLUMN kith.alarms.kind IS 'missed: a check-in is missing. help: the sender calls for help; an open alarm of another kind becomes one. unanswered: the sender did not answer a receiver''s question. drill: it only looks like an alarm.';

COMMENT ON COLUMN kith.alarms.counts_from IS 'The instant from which the minutes of tiers and repeats count: the deadline of the missed ping, or the judgement if that had to wait for an outage of Kith; otherwise the opening.';

COMMENT ON COLUMN kith.alarms.called_at IS 'When the sender first called for help in it. Each later call is an entry of its timeline. Null if they did not.';

COMMENT ON COLUMN kith.alarms.take_minutes IS 'For how long a taker has it, by the sender''s plan when it opened.';

COMMENT ON COLUMN kith.alarms.repeats_at IS 'When everybody who was told is told again. What passes while somebody has taken it is left out.';

COMMENT ON COLUMN kith.alarms.repeats_told IS 'How many of repeats_at are past: told, or left out.';

COMMENT ON COLUMN kith.alarms.desk_at IS 'When the tenant''s desk is told (K09), or looked for again where the tenant has none. Null if the sender''s plan does not have it.';

COMMENT ON COLUMN kith.alarms.taken_by IS 'The receiver who looks after it. Null while nobody does, and while the desk does.';

COMMENT ON COLUMN kith.alarms.taken_by_desk IS 'The name of the person of the desk who looks after it, as the tenant''s server gave it.';

COMMENT ON COLUMN kith.alarms.taken_until IS 'When the taker is asked whether they still look after it. Ten minutes later it is open again.';

COMMENT ON COLUMN kith.alarms.checked_at IS 'When the taker was asked.';

COMMENT ON COLUMN kith.alarms.resolved_by IS 'The sender or the receiver who ended it. Null if the desk did, or time.';

COMMENT ON COLUMN kith.alarms.expires_at IS 'When it ends as expired if nobody has resolved it: after 7 days.';

COMMENT ON COLUMN kith.alarms.next_at IS 'When the worker has something to tell or to record next. Null for a resolved one only, so alarms_to_tell has all that are not resolved.';

COMMENT ON COLUMN kith.alarms.awaits_check_in IS 'Whether it ended by somebody''s word or by time, and those who were told have not yet heard of a check-in since.';

CREATE TABLE kith.api_keys (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] DEFAULT '{all}'::text[] NOT NULL,
    expires_at kith.instant,
    last_used_at kith.instant,
    revoked_at kith.instant,
    created_at kith.instant NOT NULL,
    CONSTRAINT api_keys_hash_is_sha256 CHECK ((octet_length(secret_hash) = 32)),
    CONSTRAINT api_keys_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT api_keys_scopes_are_known CHECK (((scopes <@ ARRAY['all'::text, 'users'::text, 'tokens'::text, 'settings'::text, 'webhooks'::text, 'alarms'::text, 'read'::text]) AND (cardinality(scopes) > 0)))
);

ALTER TABLE ONLY kith.api_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.api_keys IS 'The secret keys of a tenant''s server (kith_sk_…). Only the SHA-256 of a key is stored, which is safe because a key has 244 random bits.';

COMMENT ON COLUMN kith.api_keys.scopes IS 'What the key may do: users, tokens, settings and webhooks each stand for the calls of that area, read for every call that only reads, and all for everything, keys included.';

COMMENT ON COLUMN kith.api_keys.last_used_at IS 'When the key was last used, to the minute. It is written when a server first sees the key, and then at most once a minute.';

CREATE TABLE kith.asks (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    asked_at kith.instant NOT NULL,
    answer_by kith.instant NOT NULL,
    ended_at kith.instant,
    is_answered boolean,
    CONSTRAINT asks_answer_comes_later CHECK (((answer_by)::timestamp with time zone > (asked_at)::timestamp with time zone)),
    CONSTRAINT asks_ended_says_how CHECK (((ended_at IS NULL) = (is_answered IS NULL))),
    CONSTRAINT asks_sender_is_not_receiver CHECK ((sender_id <> receiver_id))
);

ALTER TABLE ONLY kith.asks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.asks IS '"Are you OK?": a receiver''s question, which a check-in answers (K06). There is no foreign key to the accounts, as in kith.alarms.';

COMMENT ON COLUMN kith.asks.answer_by IS 'When an alarm of kind unanswered opens if the sender has not checked in.';

COMMENT ON COLUMN kith.asks.is_answered IS 'Whether a check-in answered it. False if it ended in another way.';

CREATE TABLE kith.audit (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    at kith.instant NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    request_id text,
    CONSTRAINT audit_texts_are_short CHECK (((char_length(actor) <= 300) AND (char_length(action) <= 100) AND (char_length(subject) <= 2500) AND (jsonb_typeof(detail) = 'object'::text) AND (char_length(request_id) <= 64)))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.audit FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.audit IS 'Every act of an operator, of a tenant''s server, and of a procedure with special privileges. Append-only. Monthly partitions.';

COMMENT ON COLUMN kith.audit.tenant_id IS 'The tenant; 0 if the act concerns no single tenant.';

COMMENT ON COLUMN kith.audit.actor IS 'operator:<login role>, key:<api key id>, user:<id> or kith.';

COMMENT ON COLUMN kith.audit.request_id IS 'The X-Request-Id of the request that caused the act, shortened to 63 bytes; null for operators and the worker.';

CREATE TABLE kith.audit_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    at kith.instant NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    request_id text,
    CONSTRAINT audit_texts_are_short CHECK (((char_length(actor) <= 300) AND (char_length(action) <= 100) AND (char_length(subject) <= 2500) AND (jsonb_typeof(detail) = 'object'::text) AND (char_length(request_id) <= 64)))
);

ALTER TABLE ONLY kith.audit_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.blocks (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    created_at kith.instant NOT NULL,
    CONSTRAINT blocks_nobody_blocks_themselves CHECK ((user_id <> blocked_id))
);

ALTER TABLE ONLY kith.blocks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.blocks IS 'Users who want nothing to do with another user (X22). If the blocked user tries one of their codes, that counts as a miss.';

CREATE TABLE kith.brand_marks (
    tenant_id integer NOT NULL,
    picture bytea NOT NULL,
    CONSTRAINT brand_marks_are_png CHECK ((substr(picture, 1, 8) = '\x89504e470d0a1a0a'::bytea)),
    CONSTRAINT brand_marks_are_small CHECK ((octet_length(picture) <= 24576))
);

ALTER TABLE ONLY kith.brand_marks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.brand_marks IS 'The pictures of tenants'' apps, as /assets/mark-… serves them to anybody: what internal.read_brand_mark has left of the PNG that the tenant sent.';

CREATE TABLE kith.breaks (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    from_on kith.calendar_date NOT NULL,
    until_on kith.calendar_date NOT NULL,
    starts_at kith.instant NOT NULL,
    ends_at kith.instant NOT NULL,
    told_until_on kith.calendar_date,
    ended_at kith.instant,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT breaks_are_at_most_90_days CHECK ((((until_on)::date - (from_on)::date) < 90)),
    CONSTRAINT breaks_end_after_they_begin CHECK (((until_on)::date >= ((from_on)::date - 1)))
);

ALTER TABLE ONLY kith.breaks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.breaks IS 'Local dates on which a sender has no pings. Past breaks stay as history. A sender has at most one current or future break.';

COMMENT ON COLUMN kith.breaks.until_on IS 'The last date without a ping. If the sender returned early, it is the day before their return. If no day was left, it is the day before from_on.';

COMMENT ON COLUMN kith.breaks.starts_at IS 'The first instant of from_on in the sender''s zone. It moves when the zone changes.';

COMMENT ON COLUMN kith.breaks.ends_at IS 'The first instant after until_on in the sender''s zone, as planned.';

COMMENT ON COLUMN kith.breaks.told_until_on IS 'The end that the receivers were told; null if they were told nothing yet. If until_on differs, they are told again.';

COMMENT ON COLUMN kith.breaks.ended_at IS 'When the break was over, replaced or cancelled.';

CREATE TABLE kith.canaries (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    every_hours integer NOT NULL,
    minute integer NOT NULL,
    within_minutes integer NOT NULL,
    receiver_id uuid NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT canaries_divide_the_day CHECK ((every_hours = ANY (ARRAY[1, 2, 3, 4, 6, 8, 12, 24]))),
    CONSTRAINT canaries_end_before_a_repeat CHECK (((within_minutes >= 2) AND (within_minutes <= 25))),
    CONSTRAINT canaries_minute_is_of_an_hour CHECK (((minute >= 0) AND (minute <= 59)))
);

ALTER TABLE ONLY kith.canaries FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canaries IS 'The canaries of a tenant (G10, docs/decisions/0056): each is asked every few hours, never answers, and has a receiver with contacts that an operator named. A tenant has one for each interval that its channels have.';

COMMENT ON COLUMN kith.canaries.every_hours IS 'How many hours lie between two runs. Each run of a day has a sender of its own.';

COMMENT ON COLUMN kith.canaries.minute IS 'The minute of the hour at which it asks. It follows from the number that the tenant had, so that canaries do not all ask at once.';

COMMENT ON COLUMN kith.canaries.within_minutes IS 'How long after the deadline an alarm must have arrived. It ends before the first repeat of an alarm, so a run sends one message on each channel.';

COMMENT ON COLUMN kith.canaries.receiver_id IS 'The receiver of all of its senders.';

CREATE TABLE kith.canary_answers (
    tenant_id integer NOT NULL,
    alarm_id uuid NOT NULL,
    channel text NOT NULL,
    at kith.instant NOT NULL,
    CONSTRAINT canary_answers_channel_is_known CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'call'::text])))
);

ALTER TABLE ONLY kith.canary_answers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canary_answers IS 'That the receiver of a canary has answered an alarm, and by which channel, for the next look of worker.walk_canaries. Kept for a day.';

CREATE TABLE kith.canary_arrivals (
    tenant_id integer NOT NULL,
    canary_id uuid NOT NULL,
    asks_at kith.instant NOT NULL,
    channel text NOT NULL,
    needs_heard boolean NOT NULL,
    planned_at kith.instant,
    sent_at kith.instant,
    taken_at kith.instant,
    heard_at kith.instant,
    outcome text,
    error text,
    CONSTRAINT canary_arrivals_channel_is_known CHECK ((channel = ANY (ARRAY['webhook'::text, 'push'::text, 'email'::text, 'sms'::text, 'call'::text]))),
    CONSTRAINT canary_arrivals_error_is_short CHECK ((char_length(error) <= 500)),
    CONSTRAINT canary_arrivals_outcome_is_known CHECK ((outcome = ANY (ARRAY['arrived'::text, 'died'::text])))
);

ALTER TABLE ONLY kith.canary_arrivals FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canary_arrivals IS 'The legs of a run on one channel: its message planned, sent, taken by the provider, and heard.';

COMMENT ON COLUMN kith.canary_arrivals.planned_at IS 'When the delivery was written; for a webhook, the notification.';

COMMENT ON COLUMN kith.canary_arrivals.sent_at IS 'When the first attempt began, or had a result.';

COMMENT ON COLUMN kith.canary_arrivals.taken_at IS 'When the provider, or the endpoint, accepted it.';

COMMENT ON COLUMN kith.canary_arrivals.heard_at IS 'When somebody answered: "1" by text or in the call, the button on the page of the mail''s link; of a webhook, the endpoint''s answer.';

COMMENT ON COLUMN kith.canary_arrivals.outcome IS 'Null while the run lasts.';

COMMENT ON COLUMN kith.canary_arrivals.error IS 'The last objection of the provider or the endpoint.';

CREATE TABLE kith.canary_channels (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    canary_id uuid NOT NULL,
    needs_heard boolean NOT NULL,
    webhook_id uuid,
    watched_from kith.instant NOT NULL,
    CONSTRAINT canary_channels_channel_is_known CHECK ((channel = ANY (ARRAY['webhook'::text, 'push'::text, 'email'::text, 'sms'::text, 'call'::text]))),
    CONSTRAINT canary_channels_push_is_not_heard CHECK ((NOT (needs_heard AND (channel = 'push'::text)))),
    CONSTRAINT canary_channels_webhook_has_an_endpoint CHECK (((channel = 'webhook'::text) = (webhook_id IS NOT NULL)))
);

ALTER TABLE ONLY kith.canary_channels FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canary_channels IS 'On which channels a tenant''s canaries are told, each by one of them. The contacts are those of the receiver: users, devices, and for webhook a row of kith.webhooks, which gets only what is about the canary.';

COMMENT ON COLUMN kith.canary_channels.needs_heard IS 'Whether a run must be heard on the channel, and not only taken by its provider.';

COMMENT ON COLUMN kith.canary_channels.watched_from IS 'Since when the channel is watched. Runs that begin later have it.';

CREATE TABLE kith.canary_people (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    canary_id uuid,
    asked_at kith.time_of_day
);

ALTER TABLE ONLY kith.canary_people FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canary_people IS 'The accounts that are no people (G10): what counts or lists people, their alarms and their messages leaves them out (internal.hidden_person). A row outlives its canary, because the pings of its user do.';

COMMENT ON COLUMN kith.canary_people.canary_id IS 'Null once the canary was removed.';

COMMENT ON COLUMN kith.canary_people.asked_at IS 'The ping time of a sender, in UTC. Null for a receiver.';

CREATE TABLE kith.canary_runs (
    tenant_id integer NOT NULL,
    canary_id uuid NOT NULL,
    asks_at kith.instant NOT NULL,
    sender_id uuid NOT NULL,
    deadline_at kith.instant NOT NULL,
    dies_at kith.instant NOT NULL,
    made_at kith.instant,
    asked_at kith.instant,
    missed_at kith.instant,
    alarm_at kith.instant,
    alarm_id uuid,
    ended_at kith.instant,
    CONSTRAINT canary_runs_alarm_has_an_instant CHECK (((alarm_id IS NULL) = (alarm_at IS NULL))),
    CONSTRAINT canary_runs_end_after_they_begin CHECK ((((deadline_at)::timestamp with time zone > (asks_at)::timestamp with time zone) AND ((dies_at)::timestamp with time zone > (deadline_at)::timestamp with time zone)))
);

ALTER TABLE ONLY kith.canary_runs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.canary_runs IS 'A run of a canary: from its ping to its alarm, with the instant of each leg, read from the rows that the chain has written. Kept for 30 days.';

COMMENT ON COLUMN kith.canary_runs.asks_at IS 'The time of the ping.';

COMMENT ON COLUMN kith.canary_runs.deadline_at IS 'The deadline of the ping.';

COMMENT ON COLUMN kith.canary_runs.dies_at IS 'When the run ends if it has not arrived: every channel that is missing has died.';

COMMENT ON COLUMN kith.canary_runs.made_at IS 'When the ping was made.';

COMMENT ON COLUMN kith.canary_runs.asked_at IS 'When the sender was asked.';

COMMENT ON COLUMN kith.canary_runs.missed_at IS 'When the ping was judged as missed.';

COMMENT ON COLUMN kith.canary_runs.alarm_at IS 'When the alarm opened.';

COMMENT ON COLUMN kith.canary_runs.ended_at IS 'When it had arrived on every channel, or had died.';

CREATE TABLE kith.card_views (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    viewer_id uuid NOT NULL,
    at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.card_views FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.card_views IS 'Who has seen a care card without an alarm (K07). Views in an alarm stand in its timeline. Kept for 90 days.';

COMMENT ON COLUMN kith.card_views.user_id IS 'Whose card it is.';

CREATE TABLE kith.care_cards (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    sealed_key bytea NOT NULL,
    sealed_card bytea NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT care_cards_sealed_card_is_short CHECK ((octet_length(sealed_card) <= 16384)),
    CONSTRAINT care_cards_sealed_key_is_short CHECK ((octet_length(sealed_key) <= 200))
);

ALTER TABLE ONLY kith.care_cards FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.care_cards IS 'What somebody who goes to look should know about a person (K07), sealed by the server. PostgreSQL never sees it.';

COMMENT ON COLUMN kith.care_cards.sealed_key IS 'The key of the card, sealed under the master key and bound to tenant and user.';

COMMENT ON COLUMN kith.care_cards.sealed_card IS 'The sections as JSON, sealed under that key.';

CREATE TABLE kith.cell_directory (
    only_row boolean DEFAULT true NOT NULL,
    name text NOT NULL,
    cluster text NOT NULL,
    database oid NOT NULL,
    joined_at kith.instant NOT NULL,
    CONSTRAINT cell_directory_is_one_row CHECK (only_row)
);

ALTER TABLE ONLY kith.cell_directory FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.cell_directory IS 'In a cell that is not the directory: its name, and the database that is its directory. A cell numbers no tenants itself.';

COMMENT ON COLUMN kith.cell_directory.cluster IS 'The system identifier of the directory''s PostgreSQL server.';

COMMENT ON COLUMN kith.cell_directory.database IS 'The oid of the directory''s database.';

CREATE TABLE kith.cell_map (
    only_row boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    whole_since bigint NOT NULL,
    CONSTRAINT cell_map_is_one_row CHECK (only_row),
    CONSTRAINT cell_map_versions_are_in_order CHECK ((whole_since <= version))
);

ALTER TABLE ONLY kith.cell_map FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.cell_map IS 'The version of the map. Each change increments it under the lock of the row, so versions are in the order of commits and a server that asks for newer rows misses none.';

COMMENT ON COLUMN kith.cell_map.whole_since IS 'The version of the last change that removed something. Servers with an older map read all of it.';

CREATE TABLE kith.cells (
    name text NOT NULL,
    address text,
    cluster text NOT NULL,
    database oid NOT NULL,
    is_open boolean DEFAULT true NOT NULL,
    added_at kith.instant NOT NULL,
    CONSTRAINT cells_address_is_short CHECK (((char_length(address) >= 1) AND (char_length(address) <= 2000))),
    CONSTRAINT cells_cluster_is_a_number CHECK ((cluster ~ '^[0-9]{1,20}$'::text)),
    CONSTRAINT cells_name_is_short CHECK ((name ~ '^[a-z][a-z0-9-]{0,30}$'::text))
);

ALTER TABLE ONLY kith.cells FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.cells IS 'The databases of this installation, each a complete Kith with tenants of its own. Empty in an installation with one database, and in a cell that is not the directory.';

COMMENT ON COLUMN kith.cells.address IS 'The libpq URL of the cell, without a user and a password: each program connects with those of its own URL. Null for the directory itself, which programs know.';

COMMENT ON COLUMN kith.cells.cluster IS 'The system identifier of the PostgreSQL server (pg_control_system). A standby has the same one as its primary.';

COMMENT ON COLUMN kith.cells.database IS 'The oid of the database in its server. Together with the cluster it tells whether two addresses lead to the same database.';

COMMENT ON COLUMN kith.cells.is_open IS 'Whether new tenants may be created there.';

CREATE TABLE kith.channel_credentials (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    summary jsonb NOT NULL,
    sealed bytea NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    checked_at kith.instant,
    error text,
    refused_since kith.instant,
    tested_at kith.instant,
    inbound_token text,
    next_try_at kith.instant,
    CONSTRAINT channel_credentials_are_refused_since_an_instant CHECK (((error IS NULL) = (refused_since IS NULL))),
    CONSTRAINT channel_credentials_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text, 'voice'::text]))),
    CONSTRAINT channel_credentials_texts_are_short CHECK (((char_length(error) <= 10000) AND (jsonb_typeof(summary) = 'object'::text) AND (char_length(inbound_token) <= 50)))
);

ALTER TABLE ONLY kith.channel_credentials FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.channel_credentials IS 'The provider and the account with which a tenant''s messages leave on a channel. Without a row, the channel sends nothing.';

COMMENT ON COLUMN kith.channel_credentials.summary IS 'The part of the credentials that may be shown.';

COMMENT ON COLUMN kith.channel_credentials.sealed IS 'All of the credentials, sealed with AES-256-GCM under the master key and bound to tenant and channel.';

COMMENT ON COLUMN kith.channel_credentials.checked_at IS 'When the provider last accepted a message, or a try last failed.';

COMMENT ON COLUMN kith.channel_credentials.error IS 'Why the last try failed; null once the provider accepts a message again.';

COMMENT ON COLUMN kith.channel_credentials.refused_since IS 'When the first try failed of those that have all failed until now; null while error is null.';

COMMENT ON COLUMN kith.channel_credentials.tested_at IS 'When the provider last accepted the message of an operator''s test. Workers that have paused try the provider again at once.';

COMMENT ON COLUMN kith.channel_credentials.inbound_token IS 'The token in the address to which the provider forwards answers. It begins with the tenant''s number. Not hashed, because the tenant reads the address again: whoever has it can do nothing without the secret that signs each call. Null if the settings have no inbound.';

COMMENT ON COLUMN kith.channel_credentials.next_try_at IS 'Until when the worker that wrote error last sends nothing to the provider (its circuit breaker); null while it sends. Each worker has its own.';

CREATE TABLE kith.channel_pauses (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    reason text NOT NULL,
    paused_by text NOT NULL,
    paused_at kith.instant NOT NULL,
    CONSTRAINT channel_pauses_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text, 'voice'::text])))
);

ALTER TABLE ONLY kith.channel_pauses FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.channel_pauses IS 'Channels that an operator has paused. Messages wait until the row is deleted, and those that expire meanwhile are dropped.';

COMMENT ON COLUMN kith.channel_pauses.tenant_id IS '0 for every tenant.';

CREATE TABLE kith.check_in_links (
    tenant_id integer NOT NULL,
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    ping_on kith.calendar_date NOT NULL,
    created_at kith.instant NOT NULL,
    used_at kith.instant,
    CONSTRAINT check_in_links_token_hash_is_sha256 CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY kith.check_in_links FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.check_in_links IS 'The links in text messages and e-mails by which a sender checks in without a sign-in (J01): one for each sender and local date. The worker derives the token from the master key, so that a message that is sent again has the same link (docs/decisions/0048).';

COMMENT ON COLUMN kith.check_in_links.token_hash IS 'SHA-256 of the token in the link, which stands nowhere else in the database.';

COMMENT ON COLUMN kith.check_in_links.ping_on IS 'The sender''s local date. internal.is_link_open says until when the link is good.';

COMMENT ON COLUMN kith.check_in_links.used_at IS 'When the sender first checked in by the link, or last answered something by it.';

CREATE TABLE kith.check_ins (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    received_at kith.instant NOT NULL,
    note kith.note,
    created_at kith.instant NOT NULL,
    shares_note boolean DEFAULT false NOT NULL,
    tapped_at kith.instant,
    source kith.check_in_source DEFAULT 'app'::text NOT NULL
);

ALTER TABLE ONLY kith.check_ins FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.check_ins IS 'Signs of life: every "I''m safe", whether or not a ping was open. There is no foreign key, because api.check_in alone writes rows, for a sender whose profile, or a user whose account, it has locked.';

COMMENT ON COLUMN kith.check_ins.received_at IS 'When the server received the check-in. This instant counts, not the time at which the database processed it.';

COMMENT ON COLUMN kith.check_ins.note IS 'The sender''s own, unless shares_note says that receivers see it (P40).';

COMMENT ON COLUMN kith.check_ins.tapped_at IS 'When the person tapped, if the check-in was kept on a device without a network and says so (J07). Then it speaks for this moment. Null otherwise.';

COMMENT ON COLUMN kith.check_ins.source IS 'How the person said it: in the app, in the web client, by a link, by answering a text message or a call, or with a thing (kith.signs).';

CREATE TABLE kith.code_attempts (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    attempted_at kith.instant NOT NULL,
    outcome text NOT NULL,
    CONSTRAINT code_attempts_outcome_is_known CHECK ((outcome = ANY (ARRAY['found'::text, 'missed'::text, 'blocked'::text])))
);

ALTER TABLE ONLY kith.code_attempts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.code_attempts IS 'Every well-formed code that a user tried. Guessing is limited here, so that the limit holds across servers (A08).';

COMMENT ON COLUMN kith.code_attempts.outcome IS 'found, missed or blocked. blocked means that the limit refused the attempt. It counts as a miss for the user, but not towards the tenant''s ceiling.';

CREATE TABLE kith.connection_invitation_recipients (
    tenant_id integer NOT NULL,
    invitation_id uuid NOT NULL,
    n integer NOT NULL,
    user_id uuid NOT NULL,
    name text,
    given_phone text NOT NULL,
    phone text,
    problem text,
    status text NOT NULL,
    updated_at kith.instant NOT NULL,
    delivery_id uuid,
    connection_id uuid,
    CONSTRAINT connection_invitation_recipients_given_phone_is_short CHECK ((char_length(given_phone) <= 100)),
    CONSTRAINT connection_invitation_recipients_invalid_says_why CHECK (((status = 'invalid'::text) = (problem IS NOT NULL))),
    CONSTRAINT connection_invitation_recipients_n_in_bounds CHECK (((n >= 1) AND (n <= 1000))),
    CONSTRAINT connection_invitation_recipients_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT connection_invitation_recipients_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT connection_invitation_recipients_phone_or_problem CHECK (((phone IS NULL) = (problem IS NOT NULL))),
    CONSTRAINT connection_invitation_recipients_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'queued'::text, 'sent'::text, 'cancelled'::text, 'failed'::text, 'unavailable'::text, 'invalid'::text, 'duplicate'::text]))),
    CONSTRAINT connection_invitation_recipients_texts_are_short CHECK ((char_length(problem) <= 500))
);

ALTER TABLE ONLY kith.connection_invitation_recipients FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.connection_invitation_recipients IS 'A person who was invited: the number as given and as used, and the result of the text (P17).';

COMMENT ON COLUMN kith.connection_invitation_recipients.n IS 'The position in the sender''s list, from 1.';

COMMENT ON COLUMN kith.connection_invitation_recipients.user_id IS 'The sender, copied from the invitation, because policies compare only columns of the row.';

COMMENT ON COLUMN kith.connection_invitation_recipients.phone IS 'The number in E.164; null if this recipient cannot be invited.';

COMMENT ON COLUMN kith.connection_invitation_recipients.problem IS 'The code for why this recipient cannot be invited, mostly because of the number. internal.recipient_problem_text puts it into words.';

COMMENT ON COLUMN kith.connection_invitation_recipients.status IS 'pending: nobody has sent the text yet. queued: Kith is sending it. sent, cancelled, failed, unavailable: as reported. invalid: the number or the name is unusable. duplicate: the number occurs earlier in the list.';

COMMENT ON COLUMN kith.connection_invitation_recipients.delivery_id IS 'The delivery with which Kith sends the text; null if the sender sends it.';

COMMENT ON COLUMN kith.connection_invitation_recipients.connection_id IS 'The connection that came of the invitation: the user who has verified the number redeemed a code of the inviter. Null until then.';

CREATE TABLE kith.connection_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    message text NOT NULL,
    code text NOT NULL,
    url text NOT NULL,
    recipients integer NOT NULL,
    created_at kith.instant NOT NULL,
    CONSTRAINT connection_invitations_recipients_in_bounds CHECK (((recipients >= 1) AND (recipients <= 1000))),
    CONSTRAINT connection_invitations_texts_are_short CHECK (((char_length(message) <= 2000) AND (char_length(code) <= 20) AND (char_length(url) <= 1000)))
);

ALTER TABLE ONLY kith.connection_invitations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.connection_invitations IS 'A sender''s invitation of up to 1,000 people with the same text (P15). Kept for 90 days, because the numbers belong to other people.';

COMMENT ON COLUMN kith.connection_invitations.message IS 'The text at the time of the invitation. The name, brand, code and link may have changed since (P16).';

COMMENT ON COLUMN kith.connection_invitations.code IS 'The sender''s permanent code at that time.';

COMMENT ON COLUMN kith.connection_invitations.url IS 'The tenant''s join link with the code.';

COMMENT ON COLUMN kith.connection_invitations.recipients IS 'How many people were invited, including those with unusable numbers. It counts towards the daily limit.';

CREATE TABLE kith.connections (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    code_owner_id uuid NOT NULL,
    activated_at kith.instant NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    deleted_at kith.instant,
    deleted_by text,
    pings_stopped_at kith.instant,
    tells_resumed boolean DEFAULT false NOT NULL,
    resting_status text,
    alias_by_sender text,
    alias_by_receiver text,
    activity_shared_since kith.instant,
    may_ask boolean DEFAULT true NOT NULL,
    always_care_card boolean DEFAULT false NOT NULL,
    missed_on kith.calendar_date,
    tested_at kith.instant,
    test_answered_at kith.instant,
    test_reached boolean,
    CONSTRAINT connections_alias_by_receiver_is_short CHECK (((char_length(alias_by_receiver) >= 1) AND (char_length(alias_by_receiver) <= 100))),
    CONSTRAINT connections_alias_by_sender_is_short CHECK (((char_length(alias_by_sender) >= 1) AND (char_length(alias_by_sender) <= 100))),
    CONSTRAINT connections_code_owner_is_a_side CHECK (((code_owner_id = sender_id) OR (code_owner_id = receiver_id))),
    CONSTRAINT connections_deleted_says_when CHECK (((status = 'deleted'::text) = (deleted_at IS NOT NULL))),
    CONSTRAINT connections_only_removed_ones_rest CHECK (((resting_status IS NULL) OR (status = 'deleted'::text))),
    CONSTRAINT connections_resting_status_is_known CHECK ((resting_status = ANY (ARRAY['pending'::text, 'active'::text, 'paused'::text]))),
    CONSTRAINT connections_sender_is_not_receiver CHECK ((sender_id <> receiver_id)),
    CONSTRAINT connections_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'paused'::text, 'deleted'::text]))),
    CONSTRAINT connections_texts_are_short CHECK ((char_length(deleted_by) <= 300))
)
WITH (fillfactor='90');

ALTER TABLE ONLY kith.connections FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.connections IS 'One sender and one receiver. A connection is deleted softly, and connecting again revives the same row (P24, P26).';

COMMENT ON COLUMN kith.connections.code_owner_id IS 'The user whose code was redeemed last. They are told of the connection, and consent to it where consent is required.';

COMMENT ON COLUMN kith.connections.activated_at IS 'When pings last began: by connecting, resuming, reactivating or renewing. A day whose deadline had passed by then has no ping (P13).';

COMMENT ON COLUMN kith.connections.deleted_by IS 'user:<id>, or operator:<login role>.';

COMMENT ON COLUMN kith.connections.pings_stopped_at IS 'When pings on this connection stopped because the receiver''s subscription lapsed, whatever the status (X28). It is here so that generation does not need to read the receiver.';

COMMENT ON COLUMN kith.connections.tells_resumed IS 'The sender has resumed the connection while no pings flow: on a break, or without the receiver''s subscription. The receiver is told when pings flow again (X35).';

COMMENT ON COLUMN kith.connections.resting_status IS 'The status before the end of a profile removed the connection (P39). The profile''s owner brings the connection back with the profile.';

COMMENT ON COLUMN kith.connections.alias_by_sender IS 'What the sender calls the receiver (P37). Only the sender sees it. It stays when the connection is removed, and ends with either account.';

COMMENT ON COLUMN kith.connections.alias_by_receiver IS 'What the receiver calls the sender. Only the receiver sees it.';

COMMENT ON COLUMN kith.connections.activity_shared_since IS 'Since when the receiver sees the last activity that the sender''s things reported (J04); null if they do not. The sender decides. What happened before is not shown.';

COMMENT ON COLUMN kith.connections.may_ask IS 'Whether the receiver may ask "Are you OK?" (K06). The sender decides.';

COMMENT ON COLUMN kith.connections.always_care_card IS 'Whether the receiver sees the sender''s care card and place without an alarm too (K07). The sender decides.';

COMMENT ON COLUMN kith.connections.missed_on IS 'The date of the newest missed ping of which the receiver was told; null before the first one. It outlasts pauses, breaks and removals (X38). Whether the miss is answered follows from the ping and from sender_profiles.last_check_in_at, so that a check-in writes nothing here.';

COMMENT ON COLUMN kith.connections.tested_at IS 'When the sender last sent the receiver a test message (I07).';

COMMENT ON COLUMN kith.connections.test_answered_at IS 'When the receiver said whether that test message reached them; null until they do.';

COMMENT ON COLUMN kith.connections.test_reached IS 'What the receiver said of that test message: whether it reached them.';

CREATE TABLE kith.conversations (
    tenant_id integer NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_user_id uuid NOT NULL,
    last_message_id uuid NOT NULL,
    owner_unread integer DEFAULT 0 NOT NULL,
    nominee_unread integer DEFAULT 0 NOT NULL,
    owner_read_id uuid,
    nominee_read_id uuid,
    CONSTRAINT conversations_nominee_unread_is_a_count CHECK ((nominee_unread >= 0)),
    CONSTRAINT conversations_owner_unread_is_a_count CHECK ((owner_unread >= 0))
);

ALTER TABLE ONLY kith.conversations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.conversations IS 'The state of a conversation between an owner and a nominee: its newest message, and what each side has not read. Counting messages for each list would take longer the more there are.';

COMMENT ON COLUMN kith.conversations.owner_id IS 'As in kith.messages: a nominee has another conversation with each owner.';

COMMENT ON COLUMN kith.conversations.owner_read_id IS 'The nominee''s newest message that the owner has read.';

COMMENT ON COLUMN kith.conversations.nominee_read_id IS 'The owner''s newest message that the nominee has read.';

CREATE TABLE kith.deliveries (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    subject text,
    body text,
    sealed_secret bytea,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at kith.instant NOT NULL,
    leased_until kith.instant,
    leased_by text,
    expires_at kith.instant NOT NULL,
    sent_at kith.instant,
    error text,
    created_at kith.instant NOT NULL,
    notification_id uuid,
    is_urgent boolean DEFAULT true NOT NULL,
    provider_id text,
    unanswered integer DEFAULT 0 NOT NULL,
    failures jsonb,
    offers_keys boolean DEFAULT false NOT NULL,
    CONSTRAINT deliveries_are_leased_while_sending CHECK (((status = 'sending'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT deliveries_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text, 'voice'::text]))),
    CONSTRAINT deliveries_have_a_text_or_a_notification CHECK (((body IS NULL) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_of_notifications_name_theirs CHECK (((purpose = 'notification'::text) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in_code'::text, 'contact_code'::text, 'invitation'::text, 'notification'::text, 'answer'::text]))),
    CONSTRAINT deliveries_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.deliveries FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.deliveries IS 'The outbox: messages that leave Kith on a channel. A row is written in the transaction of its cause, and the worker sends it after the commit, at least once. Monthly partitions by id.';

COMMENT ON COLUMN kith.deliveries.id IS 'UUID version 7 made from created_at. On channels with idempotency keys, it is the key.';

COMMENT ON COLUMN kith.deliveries.address IS 'A phone number in E.164, an e-mail address, or the token by which the push service knows a device.';

COMMENT ON COLUMN kith.deliveries.body IS 'The text, with {code} in the place of the secret. Null for a notification.';

COMMENT ON COLUMN kith.deliveries.sealed_secret IS 'The secret of the message, such as a one-time code, which the database must not know: sealed with AES-256-GCM under the master key and bound to tenant and id. Deleted when the delivery is settled.';

COMMENT ON COLUMN kith.deliveries.status IS 'queued; sending: leased by a worker; sent; failed: given up; dropped: expired, or not sent on purpose.';

COMMENT ON COLUMN kith.deliveries.next_attempt_at IS 'When a worker may claim the delivery. During a lease it is the end of the lease, or up to a minute later if the lease before ended without a result. Of a delivery that was dropped or given up after it had waited, it is when.';

COMMENT ON COLUMN kith.deliveries.leased_until IS 'When the lease ends. After that, another worker may send the delivery, because the one with the lease has died.';

COMMENT ON COLUMN kith.deliveries.error IS 'Why the last attempt failed, or why the delivery was dropped. For operators.';

COMMENT ON COLUMN kith.deliveries.notification_id IS 'The notification whose title and body are sent, as they are at that time. Null if the delivery has its own text.';

COMMENT ON COLUMN kith.deliveries.is_urgent IS 'Whether the delivery goes before others. This holds for codes, and for notifications that break through quiet hours.';

COMMENT ON COLUMN kith.deliveries.provider_id IS 'The provider''s id for the message, for asking the provider about its result.';

COMMENT ON COLUMN kith.deliveries.unanswered IS 'How many leases in a row brought no result, counting the current one. At 5 the delivery is given up, because it may be what crashes the workers.';

COMMENT ON COLUMN kith.deliveries.failures IS 'The attempts that the provider did not accept, oldest first, at most 50 of them: [{at, error}]; and between them, when an operator sent it again: {at, replayed_by, reason}. For admin.story_of_notification.';

COMMENT ON COLUMN kith.deliveries.offers_keys IS 'Whether the text of an attempt said "Reply 1 …" about an alarm (internal.offers_keys). The words are made when it is sent, and kept nowhere else.';

CREATE TABLE kith.deliveries_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    subject text,
    body text,
    sealed_secret bytea,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at kith.instant NOT NULL,
    leased_until kith.instant,
    leased_by text,
    expires_at kith.instant NOT NULL,
    sent_at kith.instant,
    error text,
    created_at kith.instant NOT NULL,
    notification_id uuid,
    is_urgent boolean DEFAULT true NOT NULL,
    provider_id text,
    unanswered integer DEFAULT 0 NOT NULL,
    failures jsonb,
    offers_keys boolean DEFAULT false NOT NULL,
    CONSTRAINT deliveries_are_leased_while_sending CHECK (((status = 'sending'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT deliveries_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text, 'voice'::text]))),
    CONSTRAINT deliveries_have_a_text_or_a_notification CHECK (((body IS NULL) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_of_notifications_name_theirs CHECK (((purpose = 'notification'::text) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in_code'::text, 'contact_code'::text, 'invitation'::text, 'notification'::text, 'answer'::text]))),
    CONSTRAINT deliveries_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
);

ALTER TABLE ONLY kith.deliveries_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.delivery_totals (
    channel text NOT NULL,
    slot integer NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL,
    retried bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.delivery_totals FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.delivery_totals IS 'How many deliveries had which result, over all tenants, since the installation began. For metrics.';

COMMENT ON COLUMN kith.delivery_totals.slot IS 'One of 16, chosen by the worker''s name, so that workers seldom wait for each other.';

COMMENT ON COLUMN kith.delivery_totals.retried IS 'Attempts that failed and are made again. Each attempt is counted once, as sent, failed or retried.';

CREATE TABLE kith.devices (
    tenant_id integer NOT NULL,
    token text NOT NULL,
    user_id uuid NOT NULL,
    platform text NOT NULL,
    environment text NOT NULL,
    public_key text,
    auth_secret text,
    created_at kith.instant NOT NULL,
    last_seen_at kith.instant NOT NULL,
    CONSTRAINT devices_auth_secret_is_short CHECK (((char_length(auth_secret) >= 1) AND (char_length(auth_secret) <= 200))),
    CONSTRAINT devices_environment_is_known CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT devices_keys_come_together CHECK (((public_key IS NULL) = (auth_secret IS NULL))),
    CONSTRAINT devices_platform_is_known CHECK ((platform = ANY (ARRAY['ios'::text, 'web'::text]))),
    CONSTRAINT devices_public_key_is_short CHECK (((char_length(public_key) >= 1) AND (char_length(public_key) <= 200))),
    CONSTRAINT devices_token_is_printable CHECK (((token ~ '^[!-~]+$'::text) AND (char_length(token) <= 1000)))
);

ALTER TABLE ONLY kith.devices FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.devices IS 'The devices that receive a user''s pushes (A05). A user can have several. A token belongs to one user only, because a phone can change hands.';

COMMENT ON COLUMN kith.devices.token IS 'The push service''s name for the device: an APNs token, or the endpoint of a web push subscription.';

COMMENT ON COLUMN kith.devices.public_key IS 'The `p256dh` key of a web push subscription (RFC 8291).';

COMMENT ON COLUMN kith.devices.auth_secret IS 'The `auth` secret of a web push subscription (RFC 8291). It is never shown again.';

CREATE TABLE kith.disk_samples (
    what text NOT NULL,
    sampled_on kith.calendar_date NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT disk_samples_what_is_short CHECK (((char_length(what) >= 1) AND (char_length(what) <= 100)))
);

ALTER TABLE ONLY kith.disk_samples FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.disk_samples IS 'What took how much of the disk, once a day, so that admin.disk can say what grows. Kept for 400 days. It belongs to the installation.';

COMMENT ON COLUMN kith.disk_samples.what IS 'As in admin.disk.';

CREATE TABLE kith.document_chunks (
    tenant_id integer NOT NULL,
    version_id uuid NOT NULL,
    n integer NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT document_chunks_n_in_bounds CHECK (((n >= 0) AND (n <= 1000000)))
);
ALTER TABLE ONLY kith.document_chunks ALTER COLUMN sealed SET STORAGE EXTERNAL;

ALTER TABLE ONLY kith.document_chunks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.document_chunks IS 'The chunks of a version, numbered from 0.';

COMMENT ON COLUMN kith.document_chunks.sealed IS 'The content, sealed with AES-256-GCM under the vault''s key and bound to tenant, vault, document, version and position, and to whether it is the last chunk.';

CREATE TABLE kith.document_versions (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    document_id uuid NOT NULL,
    state text NOT NULL,
    created_by uuid NOT NULL,
    created_at kith.instant NOT NULL,
    chunks integer,
    size bigint,
    ended_at kith.instant,
    chunk_size integer NOT NULL,
    CONSTRAINT document_versions_chunk_size_in_bounds CHECK (((chunk_size >= 4096) AND (chunk_size <= 1048576))),
    CONSTRAINT document_versions_state_is_known CHECK ((state = ANY (ARRAY['uploading'::text, 'current'::text, 'replaced'::text]))),
    CONSTRAINT document_versions_whole_are_measured CHECK (((state = 'uploading'::text) OR ((chunks IS NOT NULL) AND (size IS NOT NULL))))
);

ALTER TABLE ONLY kith.document_versions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.document_versions IS 'An upload of a document. Nobody sees it before it is complete. Unfinished and replaced versions are deleted after an hour.';

COMMENT ON COLUMN kith.document_versions.chunk_size IS 'The size in bytes of the content in each chunk but the last. It determines in which chunk a range of bytes begins.';

CREATE TABLE kith.documents (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    version_id uuid NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at kith.instant NOT NULL,
    created_by uuid NOT NULL,
    updated_at kith.instant NOT NULL,
    updated_by uuid,
    deleted_at kith.instant,
    deleted_by uuid,
    CONSTRAINT documents_content_type_is_short CHECK (((char_length(content_type) >= 3) AND (char_length(content_type) <= 255))),
    CONSTRAINT documents_hash_is_sha256 CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT documents_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT documents_size_in_bounds CHECK (((size >= 0) AND (size <= 26214400)))
);

ALTER TABLE ONLY kith.documents FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.documents IS 'The documents of a vault. A document''s content is one version of it, stored in chunks. A deleted document can be restored for 30 days.';

COMMENT ON COLUMN kith.documents.version_id IS 'The version that is the content. A document exists from the time when its first version is complete.';

COMMENT ON COLUMN kith.documents.sha256 IS 'The SHA-256 of the content as it was uploaded.';

COMMENT ON COLUMN kith.documents.updated_by IS 'Who made the last change. Null if nobody has changed the document since it was added.';

CREATE TABLE kith.drafts (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    vault_id uuid NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.drafts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.drafts IS 'The vault to which a user is about to invite. An app writes the draft for its extension, which reads it once (N23).';

CREATE TABLE kith.emergency_delays (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    cause text NOT NULL,
    began_at kith.instant NOT NULL,
    ended_at kith.instant NOT NULL,
    grants_at kith.instant NOT NULL,
    recorded_at kith.instant NOT NULL,
    CONSTRAINT emergency_delays_cause_is_known CHECK ((cause = ANY (ARRAY['outage'::text, 'suspension'::text, 'undelivered'::text, 'hold'::text]))),
    CONSTRAINT emergency_delays_end_after_they_begin CHECK (((ended_at)::timestamp with time zone > (began_at)::timestamp with time zone))
);

ALTER TABLE ONLY kith.emergency_delays FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.emergency_delays IS 'Time that did not count towards the wait of a request, and moved its grant (E06). A wait only ever becomes longer.';

COMMENT ON COLUMN kith.emergency_delays.grants_at IS 'The instant of the grant after this delay.';

CREATE TABLE kith.emergency_quorums (
    tenant_id integer NOT NULL,
    vault_id uuid NOT NULL,
    required integer NOT NULL,
    nominee_ids uuid[] NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT emergency_quorums_can_be_reached CHECK ((((cardinality(nominee_ids) >= required) AND (cardinality(nominee_ids) <= 20)) AND (array_position(nominee_ids, NULL::uuid) IS NULL))),
    CONSTRAINT emergency_quorums_need_at_least_two CHECK (((required >= 2) AND (required <= 20)))
);

ALTER TABLE ONLY kith.emergency_quorums FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.emergency_quorums IS 'How many of which nominees of a vault must ask before the wait of any of them begins (E05). Without a row, each nominee asks alone.';

CREATE TABLE kith.emergency_requests (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    user_id uuid NOT NULL,
    cause text NOT NULL,
    reason text,
    missed_days integer,
    wait_hours integer NOT NULL,
    access_level text NOT NULL,
    grant_hours integer NOT NULL,
    reject_on_check_in boolean NOT NULL,
    sign_of_life text NOT NULL,
    required integer NOT NULL,
    requested_at kith.instant NOT NULL,
    stopped_at kith.instant,
    waits_from kith.instant,
    grants_at kith.instant,
    ends_at kith.instant,
    counted_to kith.instant,
    approved_at kith.instant,
    held_at kith.instant,
    held_until kith.instant,
    held_by text,
    hold_reason text,
    notice_at kith.instant,
    notice_id uuid,
    undelivered_since kith.instant,
    grant_told_at kith.instant,
    ended_at kith.instant,
    ended_by uuid,
    end_reason text,
    sources text[] DEFAULT '{app,web,link,sms,voice}'::text[] NOT NULL,
    CONSTRAINT emergency_requests_cause_is_known CHECK ((cause = ANY (ARRAY['request'::text, 'silence'::text]))),
    CONSTRAINT emergency_requests_days_in_bounds CHECK ((missed_days >= 2)),
    CONSTRAINT emergency_requests_end_reason_is_known CHECK ((end_reason = ANY (ARRAY['rejected'::text, 'owner_returned'::text, 'withdrawn'::text, 'expired'::text, 'revoked'::text, 'inactive'::text, 'declined'::text, 'transferred'::text, 'vault_deleted'::text, 'account_deleted'::text, 'right_ended'::text, 'quorum_not_reached'::text, 'blocked'::text]))),
    CONSTRAINT emergency_requests_ended_say_why CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT emergency_requests_grant_in_bounds CHECK (((grant_hours >= 1) AND (grant_hours <= 720))),
    CONSTRAINT emergency_requests_held_say_why CHECK ((((held_at IS NULL) = (hold_reason IS NULL)) AND ((held_until IS NULL) OR (held_at IS NOT NULL)))),
    CONSTRAINT emergency_requests_hold_reason_is_short CHECK (((char_length(hold_reason) >= 1) AND (char_length(hold_reason) <= 500))),
    CONSTRAINT emergency_requests_level_is_at_most_edit CHECK ((access_level = ANY (ARRAY['view'::text, 'edit'::text]))),
    CONSTRAINT emergency_requests_of_silence_say_how_long CHECK (((cause = 'silence'::text) = (missed_days IS NOT NULL))),
    CONSTRAINT emergency_requests_reason_is_short CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500))),
    CONSTRAINT emergency_requests_require_somebody CHECK (((required >= 1) AND (required <= 20))),
    CONSTRAINT emergency_requests_sign_of_life_is_known CHECK ((sign_of_life = ANY (ARRAY['check_in'::text, 'any_use'::text]))),
    CONSTRAINT emergency_requests_sources_are_known CHECK (((sources <@ ARRAY['app'::text, 'web'::text, 'link'::text, 'sms'::text, 'voice'::text, 'sign'::text]) AND ((cardinality(sources) >= 1) AND (cardinality(sources) <= 6)))),
    CONSTRAINT emergency_requests_texts_are_short CHECK ((char_length(held_by) <= 300)),
    CONSTRAINT emergency_requests_wait_in_bounds CHECK (((wait_hours >= 1) AND (wait_hours <= 2160))),
    CONSTRAINT emergency_requests_waiting_have_their_instants CHECK ((((waits_from IS NULL) = (grants_at IS NULL)) AND ((waits_from IS NULL) = (ends_at IS NULL)) AND ((waits_from IS NULL) = (counted_to IS NULL)) AND ((grants_at)::timestamp with time zone >= (waits_from)::timestamp with time zone) AND ((ends_at)::timestamp with time zone > (grants_at)::timestamp with time zone)))
);

ALTER TABLE ONLY kith.emergency_requests FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.emergency_requests IS 'A wait for emergency access and the grant that follows it. The status is computed from the instants by internal.emergency_status and never stored. The terms are copied from the right when the request is made: nobody can shorten a wait that has begun. Ended requests are deleted, with their delays, after the tenant''s retention.';

COMMENT ON COLUMN kith.emergency_requests.owner_id IS 'The owner of the vault when the request was made. A transfer ends all requests.';

COMMENT ON COLUMN kith.emergency_requests.user_id IS 'The nominee''s account.';

COMMENT ON COLUMN kith.emergency_requests.cause IS 'request: the nominee asked. silence: the owner missed too many days in a row. A nominee can have one open request of each cause: asking must not show whether a hidden silence waits.';

COMMENT ON COLUMN kith.emergency_requests.missed_days IS 'How many days in a row the owner had missed when the wait began.';

COMMENT ON COLUMN kith.emergency_requests.required IS 'How many nominees of the quorum must ask; 1 without a quorum.';

COMMENT ON COLUMN kith.emergency_requests.stopped_at IS 'When the wait last stopped because the quorum broke; null for never. The nominees have 30 days from then to reach it again.';

COMMENT ON COLUMN kith.emergency_requests.waits_from IS 'When the wait began. Null while the quorum gathers.';

COMMENT ON COLUMN kith.emergency_requests.grants_at IS 'When the wait ends, with all delays until counted_to. internal.emergency_instants adds later outages, and is what every access asks.';

COMMENT ON COLUMN kith.emergency_requests.ends_at IS 'When the grant ends, grant_hours after grants_at.';

COMMENT ON COLUMN kith.emergency_requests.counted_to IS 'Outages of Kith until this instant are contained in grants_at.';

COMMENT ON COLUMN kith.emergency_requests.approved_at IS 'When the owner approved: the grant began then, before the end of the wait.';

COMMENT ON COLUMN kith.emergency_requests.held_at IS 'Since when an operator holds the request; null if nobody does.';

COMMENT ON COLUMN kith.emergency_requests.held_until IS 'When the hold ends by itself; null for never.';

COMMENT ON COLUMN kith.emergency_requests.notice_at IS 'When the worker has something to do next: a notice, a grant to tell, an end to record. Null for nothing.';

COMMENT ON COLUMN kith.emergency_requests.notice_id IS 'The newest notification of the owner about this request.';

COMMENT ON COLUMN kith.emergency_requests.undelivered_since IS 'Since when no notice could be delivered to the owner on any channel; the wait stands still, at most for wait_hours (E06).';

COMMENT ON COLUMN kith.emergency_requests.grant_told_at IS 'When owner and nominee were told of the grant.';

CREATE TABLE kith.emergency_settings (
    tenant_id integer NOT NULL,
    nominee_id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    wait_hours integer NOT NULL,
    access_level text NOT NULL,
    grant_hours integer DEFAULT 72 NOT NULL,
    on_request boolean NOT NULL,
    after_missed_days integer,
    reject_on_check_in boolean DEFAULT true NOT NULL,
    sign_of_life text DEFAULT 'check_in'::text NOT NULL,
    visible boolean DEFAULT false NOT NULL,
    visible_since kith.instant,
    ended_at kith.instant,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    sources text[] DEFAULT '{app,web,link,sms,voice}'::text[] NOT NULL,
    CONSTRAINT emergency_settings_days_in_bounds CHECK (((after_missed_days >= 2) AND (after_missed_days <= 30))),
    CONSTRAINT emergency_settings_grant_in_bounds CHECK (((grant_hours >= 1) AND (grant_hours <= 720))),
    CONSTRAINT emergency_settings_level_is_at_most_edit CHECK ((access_level = ANY (ARRAY['view'::text, 'edit'::text]))),
    CONSTRAINT emergency_settings_sign_of_life_is_known CHECK ((sign_of_life = ANY (ARRAY['check_in'::text, 'any_use'::text]))),
    CONSTRAINT emergency_settings_sources_are_known CHECK (((sources <@ ARRAY['app'::text, 'web'::text, 'link'::text, 'sms'::text, 'voice'::text, 'sign'::text]) AND ((cardinality(sources) >= 1) AND (cardinality(sources) <= 6)))),
    CONSTRAINT emergency_settings_start_somehow CHECK ((on_request OR (after_missed_days IS NOT NULL))),
    CONSTRAINT emergency_settings_visible_since_when CHECK ((visible = (visible_since IS NOT NULL))),
    CONSTRAINT emergency_settings_wait_in_bounds CHECK (((wait_hours >= 1) AND (wait_hours <= 2160)))
);

ALTER TABLE ONLY kith.emergency_settings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.emergency_settings IS 'The right of a nominee to get into a vault in an emergency, as its owner gave it (E01). Without a row there is no right.';

COMMENT ON COLUMN kith.emergency_settings.wait_hours IS 'How long the owner can say no after the wait has begun: 1 hour to 90 days.';

COMMENT ON COLUMN kith.emergency_settings.access_level IS 'What the nominee may do inside: view or edit, never full.';

COMMENT ON COLUMN kith.emergency_settings.grant_hours IS 'How long the nominee can stay: 1 hour to 30 days.';

COMMENT ON COLUMN kith.emergency_settings.on_request IS 'Whether the nominee can ask.';

COMMENT ON COLUMN kith.emergency_settings.after_missed_days IS 'After how many local days in a row without a sign of life the wait begins by itself; null for never (E03).';

COMMENT ON COLUMN kith.emergency_settings.reject_on_check_in IS 'Whether a sign of life ends requests and grants without a further question.';

COMMENT ON COLUMN kith.emergency_settings.sign_of_life IS 'What shows that the owner is alive: only a check-in, or any signed-in use.';

COMMENT ON COLUMN kith.emergency_settings.visible IS 'Whether the nominee sees the right and its wait.';

COMMENT ON COLUMN kith.emergency_settings.visible_since IS 'Since when the nominee sees the right; null if they do not. A wait by silence that had ended before stays hidden.';

COMMENT ON COLUMN kith.emergency_settings.ended_at IS 'When three rejections within 30 days (E02) or a block by the owner (E07) ended the right; null while it exists. The owner can give it anew.';

COMMENT ON COLUMN kith.emergency_settings.created_at IS 'When the owner gave the right, or last gave it anew. Earlier rejections no longer count.';

COMMENT ON COLUMN kith.emergency_settings.sources IS 'The sources of check-ins that end a request or a grant (J05). A check-in of another source only reminds the owner of it.';

CREATE TABLE kith.event_readers (
    name text NOT NULL,
    next_xid xid8 NOT NULL
);

ALTER TABLE ONLY kith.event_readers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.event_readers IS 'How far a reader of all tenants'' events has read. It belongs to the installation, so it has no tenant.';

COMMENT ON COLUMN kith.event_readers.name IS 'webhooks: the reader that determines which tenants'' webhooks have news.';

COMMENT ON COLUMN kith.event_readers.next_xid IS 'The reader has read everything that transactions below this one wrote.';

CREATE TABLE kith.events (
    tenant_id integer NOT NULL,
    ping_on kith.calendar_date,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject_id uuid,
    parent_id uuid,
    type text NOT NULL
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.events FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.events IS 'Changes that a user''s screen shows. A row contains only ids, because the content is read when the event is read. Daily partitions by id, dropped after 8 days. The other half of the feed is kith.notifications.';

COMMENT ON COLUMN kith.events.ping_on IS 'The date of a ping. Without it, finding the ping would visit every partition.';

COMMENT ON COLUMN kith.events.xid IS 'The transaction that wrote the row. Events are ordered by (xid, id) and read up to the oldest transaction in progress. So no event ever appears before a position that somebody has read up to, in whatever order transactions commit.';

COMMENT ON COLUMN kith.events.id IS 'UUID version 7 made from the instant of the change.';

COMMENT ON COLUMN kith.events.user_id IS 'The user whose screen shows the change. For alarm_undelivered, the user whom the alarm did not reach; for api_key, and for the account of somebody who has deleted it, zeros.';

COMMENT ON COLUMN kith.events.subject_id IS 'The id of what changed; type names its kind. For alarm_undelivered, the notification.';

COMMENT ON COLUMN kith.events.parent_id IS 'The connection of a ping, the vault of a nominee, session, document, emergency request or conversation, or the nominee of a message. Of an alarm, the entry of its timeline that says what changed; the alarm itself if people were told, null if it opened.';

COMMENT ON COLUMN kith.events.type IS 'account (something that only the user sees), connection, ping, nominee, session, vault, document, emergency_request, invitation, alarm, message or conversation (whose subject is its nominee). notification: one was read (a new one is in the feed by itself). notifications_read: all were read. alarm_undelivered, and api_key (an operator has made one): for the tenant''s webhooks only.';

CREATE TABLE kith.events_default (
    tenant_id integer NOT NULL,
    ping_on kith.calendar_date,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject_id uuid,
    parent_id uuid,
    type text NOT NULL
);

ALTER TABLE ONLY kith.events_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.feedback (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    topic text NOT NULL,
    rating integer NOT NULL,
    text text,
    created_at kith.instant NOT NULL,
    CONSTRAINT feedback_rating_in_bounds CHECK (((rating >= 1) AND (rating <= 5))),
    CONSTRAINT feedback_text_is_short CHECK (((char_length(text) >= 1) AND (char_length(text) <= 2000))),
    CONSTRAINT feedback_topic_is_known CHECK ((topic = ANY (ARRAY['invitation'::text, 'share'::text, 'app'::text])))
);

ALTER TABLE ONLY kith.feedback FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.feedback IS 'What users think of an invitation, a share or the app (A10), for the tenant and the operator. Deleted with the account, and after the tenant''s retention.';

COMMENT ON COLUMN kith.feedback.rating IS 'From 1, bad, to 5, good.';

CREATE TABLE kith.gap_checks (
    only_one boolean DEFAULT true NOT NULL,
    began_at kith.instant NOT NULL,
    finished_at kith.instant,
    checked_tenant_id integer NOT NULL,
    checked_time_zone text NOT NULL,
    checked_sender_id uuid NOT NULL,
    found bigint DEFAULT 0 NOT NULL,
    CONSTRAINT gap_checks_are_one CHECK (only_one)
);

ALTER TABLE ONLY kith.gap_checks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.gap_checks IS 'How far the hourly check for gaps (X25) has come. One row, which belongs to the installation. A batch moves the cursor in the transaction that records its gaps.';

COMMENT ON COLUMN kith.gap_checks.finished_at IS 'When the check was finished; null while it is in progress.';

COMMENT ON COLUMN kith.gap_checks.checked_sender_id IS 'With checked_tenant_id and checked_time_zone, the last sender that was checked, in the order of sender_profiles_by_zone.';

COMMENT ON COLUMN kith.gap_checks.found IS 'How many gaps this check has found.';

CREATE TABLE kith.heartbeats (
    component text NOT NULL,
    instance text NOT NULL,
    started_at kith.instant NOT NULL,
    beat_at kith.instant NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    version text,
    clock_ahead_ms integer,
    stopped_at kith.instant,
    loops jsonb,
    CONSTRAINT heartbeats_component_is_known CHECK ((component = ANY (ARRAY['server'::text, 'worker'::text]))),
    CONSTRAINT heartbeats_texts_are_short CHECK ((char_length(version) <= 100))
);

ALTER TABLE ONLY kith.heartbeats FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.heartbeats IS 'The last heartbeat of each running server and worker. It belongs to the installation, so it has no tenant.';

COMMENT ON COLUMN kith.heartbeats.xid IS 'The transaction of the heartbeat. It and all before it survive a crash (internal.feed_end).';

COMMENT ON COLUMN kith.heartbeats.version IS 'The release and the commit of the program.';

COMMENT ON COLUMN kith.heartbeats.clock_ahead_ms IS 'How far its clock was ahead of the database''s at the last heartbeat, less the time that the heartbeat took; negative if behind.';

COMMENT ON COLUMN kith.heartbeats.stopped_at IS 'When it ended by itself. The row stays, because the next outage begins at the last heartbeat of all.';

COMMENT ON COLUMN kith.heartbeats.loops IS 'The pace of a worker''s loops: for each its batch and its pause, and the usual ones. An array of objects with loop, batch, pause_ms, usual_batch and usual_pause_ms. Null for a server.';

CREATE TABLE kith.history (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    at kith.instant NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT history_subject_type_is_known CHECK ((subject_type = ANY (ARRAY['vault'::text, 'session'::text, 'document'::text, 'nominee'::text, 'transfer'::text, 'share'::text, 'emergency_request'::text]))),
    CONSTRAINT history_texts_are_short CHECK (((char_length(action) <= 100) AND (jsonb_typeof(detail) = 'object'::text)))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.history FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.history IS 'What happened with a vault: who, what and when (V13). Append-only: the API can neither change nor delete a row. It contains no names, which are looked up when it is read. Monthly partitions by id.';

COMMENT ON COLUMN kith.history.id IS 'UUID version 7 made from at. It determines the partition.';

COMMENT ON COLUMN kith.history.actor_id IS 'The user who acted; null if an operator acted, or if it happened by itself.';

CREATE TABLE kith.history_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    at kith.instant NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT history_subject_type_is_known CHECK ((subject_type = ANY (ARRAY['vault'::text, 'session'::text, 'document'::text, 'nominee'::text, 'transfer'::text, 'share'::text, 'emergency_request'::text]))),
    CONSTRAINT history_texts_are_short CHECK (((char_length(action) <= 100) AND (jsonb_typeof(detail) = 'object'::text)))
);

ALTER TABLE ONLY kith.history_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.idempotency_key_subjects (
    tenant_id integer NOT NULL,
    subject_id uuid NOT NULL,
    caller text NOT NULL,
    key text NOT NULL
);

ALTER TABLE ONLY kith.idempotency_key_subjects FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.idempotency_key_subjects IS 'The ids that occur in a kept answer and in the path of its request. If the caller may no longer see one of them, the answer is withheld. If one is a deleted user, the answer is deleted. This is a separate table because array operators are not leakproof, so under policies they are never index conditions.';

CREATE TABLE kith.idempotency_keys (
    tenant_id integer NOT NULL,
    caller text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    sealed_answer bytea NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    CONSTRAINT idempotency_keys_fingerprint_is_sha256 CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT idempotency_keys_key_is_short CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

ALTER TABLE ONLY kith.idempotency_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.idempotency_keys IS 'Answers to POSTs with an Idempotency-Key. A repeat gets the same answer and does nothing (A07). A row is written in the transaction of the effect.';

COMMENT ON COLUMN kith.idempotency_keys.caller IS 'The owner of the key: user:<id> or key:<api key id>. Two callers can use the same key.';

COMMENT ON COLUMN kith.idempotency_keys.fingerprint IS 'The SHA-256 of method, path, query and body. The same key with another request is a client error.';

COMMENT ON COLUMN kith.idempotency_keys.sealed_answer IS 'Status and body, sealed with AES-256-GCM under the master key and bound to tenant, caller and key.';

COMMENT ON COLUMN kith.idempotency_keys.expires_at IS 'When the answer is deleted: after 24 hours, or after 10 minutes if it contains a secret.';

CREATE TABLE kith.inbound_counts (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    counted_on kith.calendar_date NOT NULL,
    outcome text NOT NULL,
    slot integer NOT NULL,
    count bigint DEFAULT 0 NOT NULL,
    CONSTRAINT inbound_counts_channel_is_known CHECK ((channel = ANY (ARRAY['sms'::text, 'voice'::text]))),
    CONSTRAINT inbound_counts_outcome_is_known CHECK ((outcome = ANY (ARRAY['check_in'::text, 'help'::text, 'take'::text, 'safe'::text, 'several'::text, 'stop'::text, 'start'::text, 'info'::text, 'not_understood'::text, 'unknown_number'::text, 'unknown_call'::text, 'repeated'::text, 'no_key'::text, 'machine'::text])))
);

ALTER TABLE ONLY kith.inbound_counts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.inbound_counts IS 'How many answers a tenant''s providers forwarded on a date (UTC), by what became of them. Kept for 90 days.';

COMMENT ON COLUMN kith.inbound_counts.slot IS 'One of 16, chosen by the number or the call, so that answers seldom wait for each other.';

CREATE TABLE kith.inbound_messages (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    message_hash bytea NOT NULL,
    received_at kith.instant NOT NULL,
    CONSTRAINT inbound_messages_channel_is_known CHECK ((channel = ANY (ARRAY['sms'::text, 'voice'::text]))),
    CONSTRAINT inbound_messages_hash_is_sha256 CHECK ((octet_length(message_hash) = 32))
);

ALTER TABLE ONLY kith.inbound_messages FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.inbound_messages IS 'The answers that providers have forwarded in the last 7 days, so that a repeat does nothing (J02). Neither text nor number is kept.';

COMMENT ON COLUMN kith.inbound_messages.message_hash IS 'SHA-256 of the provider''s id of the message, or of the call and the key.';

CREATE TABLE kith.incarnations (
    system_identifier bigint NOT NULL,
    timeline integer NOT NULL,
    noticed_at kith.instant NOT NULL,
    restored_to kith.instant,
    confirmed_at kith.instant,
    confirmed_by text,
    served_until kith.instant,
    CONSTRAINT incarnations_confirmed_say_by_whom CHECK (((confirmed_at IS NULL) = (confirmed_by IS NULL))),
    CONSTRAINT incarnations_lost_are_confirmed CHECK (((served_until IS NULL) OR (((served_until)::timestamp with time zone > (restored_to)::timestamp with time zone) AND (confirmed_at IS NOT NULL))))
);

ALTER TABLE ONLY kith.incarnations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.incarnations IS 'The clusters and timelines on which this database has lived. A restore, a promotion of a standby and a copy each begin a new one. It belongs to the installation, so it has no tenant.';

COMMENT ON COLUMN kith.incarnations.noticed_at IS 'When the first heartbeat arrived, or an operator confirmed it.';

COMMENT ON COLUMN kith.incarnations.restored_to IS 'The newest heartbeat in the database when the incarnation was noticed: the past to which it went back. Null for the first incarnation.';

COMMENT ON COLUMN kith.incarnations.confirmed_at IS 'When it was confirmed. Until then nobody is told anything (internal.awaits_confirmation).';

COMMENT ON COLUMN kith.incarnations.confirmed_by IS 'The operator, or kith for an incarnation that began within 5 minutes of the last heartbeat.';

COMMENT ON COLUMN kith.incarnations.served_until IS 'Until when the previous incarnation served: what it did after restored_to is lost. Null if nothing is lost.';

CREATE TABLE kith.jwt_issuers (
    tenant_id integer NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    claimed_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.jwt_issuers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.jwt_issuers IS 'Which tenant an issuer belongs to (the row with the empty audience), and which tenant its tokens for one audience belong to. That is the one tenant with live keys for it. The unique index spans tenants on purpose: it decides when two register at the same time.';

COMMENT ON COLUMN kith.jwt_issuers.audience IS 'The audience of the tokens, or empty for the issuer itself. No other tenant can register an issuer that has a row with the empty audience. A shared issuer has no such row.';

CREATE TABLE kith.jwt_keys (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    algorithm text NOT NULL,
    own boolean NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    wrapped_secret bytea,
    public_key text,
    created_at kith.instant NOT NULL,
    revoked_at kith.instant,
    kid text NOT NULL,
    CONSTRAINT jwt_keys_algorithm_is_known CHECK ((algorithm = ANY (ARRAY['HS256'::text, 'ES256'::text, 'RS256'::text, 'EdDSA'::text]))),
    CONSTRAINT jwt_keys_have_their_material CHECK ((((algorithm = 'HS256'::text) = (wrapped_secret IS NOT NULL)) AND ((algorithm <> 'HS256'::text) = (public_key IS NOT NULL)))),
    CONSTRAINT jwt_keys_kid_is_short CHECK (((char_length(kid) >= 1) AND (char_length(kid) <= 200))),
    CONSTRAINT jwt_keys_texts_are_short CHECK (((char_length(issuer) <= 500) AND (char_length(audience) <= 500) AND (char_length(public_key) <= 10000)))
);

ALTER TABLE ONLY kith.jwt_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.jwt_keys IS 'Keys that sign access tokens. A token''s `kid`, `iss` and `aud` select the key. The algorithm is the key''s, never the token''s.';

COMMENT ON COLUMN kith.jwt_keys.own IS 'Whether Kith signs with the key (issuer `kith`, audience the slug). Otherwise the tenant''s identity provider does.';

COMMENT ON COLUMN kith.jwt_keys.wrapped_secret IS 'The HS256 secret, sealed with AES-256-GCM under the master key and bound to the tenant and the key id.';

COMMENT ON COLUMN kith.jwt_keys.public_key IS 'The public key as SubjectPublicKeyInfo in PEM. An RS256 key has at least 2048 bits.';

COMMENT ON COLUMN kith.jwt_keys.kid IS 'The key id that tokens carry. For Kith''s own keys it is the id.';

CREATE TABLE kith.messages (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    nominee_user_id uuid NOT NULL,
    from_id uuid NOT NULL,
    body text NOT NULL,
    created_at kith.instant NOT NULL,
    read_at kith.instant,
    CONSTRAINT messages_are_from_a_side CHECK (((from_id = owner_id) OR (from_id = nominee_user_id))),
    CONSTRAINT messages_body_is_short CHECK (((char_length(body) >= 1) AND (char_length(body) <= 4000)))
);

ALTER TABLE ONLY kith.messages FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.messages IS 'What a vault''s owner and one nominee write to each other (V12).';

COMMENT ON COLUMN kith.messages.owner_id IS 'The owner who took part in the conversation. A transfer does not change it, because the new owner must not read the conversation.';

CREATE TABLE kith.move_marks (
    tenant_id integer NOT NULL,
    mark bigint NOT NULL
);

ALTER TABLE ONLY kith.move_marks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.move_marks IS 'A row of a tenant that moves, which kith tenant move changes in the source. When the change arrives in the target, all earlier changes have arrived.';

CREATE TABLE kith.moving_tenants (
    tenant_id integer NOT NULL,
    state text NOT NULL,
    changed_at kith.instant NOT NULL,
    came_at kith.instant,
    left_version bigint,
    CONSTRAINT moving_tenants_state_is_known CHECK ((state = ANY (ARRAY['leaving'::text, 'gone'::text, 'arriving'::text, 'here'::text]))),
    CONSTRAINT moving_tenants_that_are_here_came CHECK (((state <> 'here'::text) OR (came_at IS NOT NULL))),
    CONSTRAINT moving_tenants_that_left_are_elsewhere CHECK (((left_version IS NULL) OR (state = ANY (ARRAY['gone'::text, 'arriving'::text]))))
);

ALTER TABLE ONLY kith.moving_tenants FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.moving_tenants IS 'In a cell: the tenants that move away, those that came, and those that have left, until they come back. While a tenant moves, triggers on all of its tables ask this table (internal.guard_moving_tenant).';

COMMENT ON COLUMN kith.moving_tenants.state IS 'leaving: served here, and copied to another cell; gone: served there, and writes are refused, also when no other row of the tenant is left; arriving: served elsewhere, and writes are refused; here: it came, and is served here.';

COMMENT ON COLUMN kith.moving_tenants.changed_at IS 'When the state was entered.';

COMMENT ON COLUMN kith.moving_tenants.came_at IS 'When the tenant came, if it did. Positions in the event feed from before are those of another database (internal.read_position).';

COMMENT ON COLUMN kith.moving_tenants.left_version IS 'The version of the map that named another cell, if the tenant has left. A server whose map is older learns from it that the tenant lives elsewhere, and does not refuse the tenant''s people as unknown (api.departed_tenants).';

CREATE TABLE kith.nominee_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    channel text NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    ended_at kith.instant,
    end_reason text,
    outcome text,
    outcome_at kith.instant,
    CONSTRAINT nominee_invitations_channel_is_known CHECK ((channel = ANY (ARRAY['messages'::text, 'mail'::text, 'share'::text, 'link'::text, 'airdrop'::text, 'other'::text]))),
    CONSTRAINT nominee_invitations_end_reason_is_known CHECK ((end_reason = ANY (ARRAY['accepted'::text, 'declined'::text, 'resent'::text, 'revoked'::text, 'vault_deleted'::text]))),
    CONSTRAINT nominee_invitations_ended_says_why CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT nominee_invitations_hash_is_sha256 CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT nominee_invitations_outcome_is_known CHECK ((outcome = ANY (ARRAY['sent'::text, 'cancelled'::text, 'failed'::text, 'unavailable'::text])))
);

ALTER TABLE ONLY kith.nominee_invitations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.nominee_invitations IS 'A token with which a nominee can accept once. Only the SHA-256 of the token is stored, which is safe because it has 122 random bits (N06).';

COMMENT ON COLUMN kith.nominee_invitations.channel IS 'How the owner meant to send the invitation. Used only for statistics (C06).';

COMMENT ON COLUMN kith.nominee_invitations.outcome IS 'The result of the phone''s message composer, as the app reported it (N17).';

CREATE TABLE kith.nominees (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    user_id uuid,
    name text,
    phone text,
    email text,
    status text NOT NULL,
    access_level text NOT NULL,
    needs_confirmation boolean DEFAULT false NOT NULL,
    invited_at kith.instant NOT NULL,
    invited_by_user_id uuid,
    accepted_at kith.instant,
    last_active_at kith.instant,
    revoked_at kith.instant,
    revoke_reason text,
    share_record_id text,
    share_participant_id text,
    updated_at kith.instant NOT NULL,
    email_normalized text GENERATED ALWAYS AS (lower((email COLLATE "C"))) STORED,
    external_id text,
    contact_named_by uuid,
    bound_at kith.instant,
    bound_by_link boolean DEFAULT false NOT NULL,
    CONSTRAINT nominees_confirmed_are_bound CHECK (((NOT needs_confirmation) OR ((user_id IS NOT NULL) AND (status = 'pending'::text)))),
    CONSTRAINT nominees_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT nominees_external_id_is_short CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
    CONSTRAINT nominees_level_is_known CHECK ((access_level = ANY (ARRAY['view'::text, 'edit'::text, 'full'::text]))),
    CONSTRAINT nominees_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT nominees_owner_is_no_nominee CHECK (((user_id <> owner_id) OR (status = 'revoked'::text))),
    CONSTRAINT nominees_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT nominees_revoked_says_when CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT nominees_share_participant_is_short CHECK (((char_length(share_participant_id) >= 1) AND (char_length(share_participant_id) <= 255))),
    CONSTRAINT nominees_share_record_is_short CHECK (((char_length(share_record_id) >= 1) AND (char_length(share_record_id) <= 255))),
    CONSTRAINT nominees_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'inactive'::text, 'revoked'::text]))),
    CONSTRAINT nominees_texts_are_short CHECK ((char_length(revoke_reason) <= 100))
);

ALTER TABLE ONLY kith.nominees FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.nominees IS 'A person whom an owner trusts with a vault. Revoking is final, and inviting the person again creates a new row (X07).';

COMMENT ON COLUMN kith.nominees.user_id IS 'The user who accepted; null until then. A user is never matched by name, phone or e-mail.';

COMMENT ON COLUMN kith.nominees.name IS 'The name that the owner gave; null after the account of that user ended.';

COMMENT ON COLUMN kith.nominees.status IS 'pending, accepted, inactive or revoked. active is never stored: it means accepted while the vault''s session is open (V08).';

COMMENT ON COLUMN kith.nominees.needs_confirmation IS 'Whether user_id has accepted but has no access yet, because the owner must confirm (X30).';

COMMENT ON COLUMN kith.nominees.revoke_reason IS 'removed, declined, left, transferred, share, account_deleted or support.';

COMMENT ON COLUMN kith.nominees.external_id IS 'The tenant''s own name for a nominee that it imported (A09). Null for all others.';

COMMENT ON COLUMN kith.nominees.contact_named_by IS 'Who wrote phone and email: the owner, or a nominee with level full. Null if a sharing service or the tenant''s server did. Only a contact that the owner named says who is meant.';

COMMENT ON COLUMN kith.nominees.bound_at IS 'When user_id accepted an invitation; null for imported nominees and former owners.';

COMMENT ON COLUMN kith.nominees.bound_by_link IS 'Whether only the invitation''s link says who user_id is. A right to emergency access sleeps until the owner confirms them, or gives the right knowing who they are.';

CREATE TABLE kith.notification_preferences (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    channels text[] NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT notification_preferences_channels_are_known CHECK ((channels <@ ARRAY['push'::text, 'email'::text, 'sms'::text, 'voice'::text])),
    CONSTRAINT notification_preferences_texts_are_short CHECK ((char_length(type) <= 50))
);

ALTER TABLE ONLY kith.notification_preferences FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.notification_preferences IS 'The channels on which a user wants a type of notification, if they differ from the default. The notification itself is always written.';

CREATE TABLE kith.notifications (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    body text,
    data kith.notification_data DEFAULT '{}'::jsonb NOT NULL,
    created_at kith.instant NOT NULL,
    sent_at kith.instant,
    delivery_status text DEFAULT 'queued'::text NOT NULL,
    read_at kith.instant,
    deliver_at kith.instant,
    planned_at kith.instant,
    escalates_at kith.instant,
    escalated_at kith.instant,
    xid xid8 DEFAULT pg_current_xact_id(),
    note kith.note,
    person_name text,
    person_id uuid,
    vault_id uuid,
    CONSTRAINT notifications_delivery_status_is_known CHECK ((delivery_status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'dropped'::text]))),
    CONSTRAINT notifications_person_name_is_short CHECK (((char_length(person_name) >= 1) AND (char_length(person_name) <= 200))),
    CONSTRAINT notifications_texts_are_short CHECK (((char_length(type) <= 50) AND (char_length(body) <= 5000))),
    CONSTRAINT notifications_vault_is_found_by_its_name CHECK (((vault_id IS NULL) = (NOT ((data)::jsonb ? 'vault_name'::text))))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.notifications FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.notifications IS 'What one user is told about one event. The row is the truth, and a push is a hint. Monthly partitions by id.';

COMMENT ON COLUMN kith.notifications.id IS 'UUID version 7 made from created_at. It determines the partition.';

COMMENT ON COLUMN kith.notifications.body IS 'What somebody else has written, which has no language of Kith: the beginning of a message. Otherwise null: internal.words makes the words when they are read.';

COMMENT ON COLUMN kith.notifications.deliver_at IS 'The notification is not delivered before this instant; null means at once. It spreads notifications that are due at the same time, such as at nine o''clock, over a minute.';

COMMENT ON COLUMN kith.notifications.planned_at IS 'When the worker chose the channels and wrote a delivery for each. While it is null, the row itself is the outbox.';

COMMENT ON COLUMN kith.notifications.escalates_at IS 'When an alarm that was not delivered yet escalates: first to the person''s other channels, then to the tenant''s server and the operator (F07). Null if there is nothing to escalate.';

COMMENT ON COLUMN kith.notifications.escalated_at IS 'When the worker tried the other channels.';

COMMENT ON COLUMN kith.notifications.xid IS 'The transaction that wrote the row, for the order of the feed, as in kith.events. A row without it is not in the feed.';

COMMENT ON COLUMN kith.notifications.note IS 'The note that a sender shares by a check-in (P40). It is shown as part of data, and is a column because operators may read data.';

COMMENT ON COLUMN kith.notifications.person_name IS 'The name of the person in a text about a vault, as the reader knew the person when the row was written. It stands where the rows that hold the name are gone. It is not in data, because operators may read data and must not read names that people give. Null if the text names nobody, or nobody any more, or the other side of a connection, which the connection names.';

COMMENT ON COLUMN kith.notifications.person_id IS 'The user whom a text about a vault names, so that the name is found when their account ends. It is not shown: the owner never learns who declined. Null for texts about a connection, which is kept for ever and names both sides, and costs a check-in no index.';

COMMENT ON COLUMN kith.notifications.vault_id IS 'The vault that the text names. Null once the vault was erased and its name removed.';

CREATE TABLE kith.notifications_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    body text,
    data kith.notification_data DEFAULT '{}'::jsonb NOT NULL,
    created_at kith.instant NOT NULL,
    sent_at kith.instant,
    delivery_status text DEFAULT 'queued'::text NOT NULL,
    read_at kith.instant,
    deliver_at kith.instant,
    planned_at kith.instant,
    escalates_at kith.instant,
    escalated_at kith.instant,
    xid xid8 DEFAULT pg_current_xact_id(),
    note kith.note,
    person_name text,
    person_id uuid,
    vault_id uuid,
    CONSTRAINT notifications_delivery_status_is_known CHECK ((delivery_status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'dropped'::text]))),
    CONSTRAINT notifications_person_name_is_short CHECK (((char_length(person_name) >= 1) AND (char_length(person_name) <= 200))),
    CONSTRAINT notifications_texts_are_short CHECK (((char_length(type) <= 50) AND (char_length(body) <= 5000))),
    CONSTRAINT notifications_vault_is_found_by_its_name CHECK (((vault_id IS NULL) = (NOT ((data)::jsonb ? 'vault_name'::text))))
);

ALTER TABLE ONLY kith.notifications_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.operator_reads (
    login text NOT NULL,
    hour kith.instant NOT NULL,
    statement text NOT NULL,
    tenant text NOT NULL,
    subject text NOT NULL,
    reads bigint DEFAULT 1 NOT NULL,
    last_at kith.instant NOT NULL,
    CONSTRAINT operator_reads_texts_are_short CHECK (((char_length(login) <= 100) AND (char_length(statement) <= 100) AND (char_length(tenant) <= 100) AND (char_length(subject) <= 100)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY kith.operator_reads FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.operator_reads IS 'Which operator has read whose data by which procedure of schema admin, and how often in an hour: at most 1,000 rows of a login and an hour. Kept for 400 days. It belongs to the installation, so it has no tenant_id, and outlives a tenant that moves or is purged.';

COMMENT ON COLUMN kith.operator_reads.login IS 'The role that logged in.';

COMMENT ON COLUMN kith.operator_reads.hour IS 'The beginning of the hour, UTC.';

COMMENT ON COLUMN kith.operator_reads.statement IS 'The procedure, such as story_of_user.';

COMMENT ON COLUMN kith.operator_reads.tenant IS 'The slug as it was then.';

COMMENT ON COLUMN kith.operator_reads.subject IS 'The id of the user, connection, notification, alarm or request; empty for a list, and for what came after 1,000 rows of the hour.';

COMMENT ON COLUMN kith.operator_reads.last_at IS 'When it was read last in the hour, by the database''s clock.';

CREATE TABLE kith.operators (
    login text NOT NULL,
    only_tenant_id integer,
    is_read_only boolean NOT NULL,
    created_at kith.instant NOT NULL,
    created_by text NOT NULL,
    ended_at kith.instant,
    ended_by text,
    CONSTRAINT operators_ended_say_by_whom CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
    CONSTRAINT operators_login_is_a_name CHECK ((login ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
    CONSTRAINT operators_texts_are_short CHECK (((char_length(created_by) <= 300) AND (char_length(ended_by) <= 300)))
);

ALTER TABLE ONLY kith.operators FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.operators IS 'The logins that kith operator made, one for each person. A name is never used again, so that the audit names one person. It belongs to the installation, so it has no tenant.';

COMMENT ON COLUMN kith.operators.login IS 'The login role, as in kith.audit.actor after operator:.';

COMMENT ON COLUMN kith.operators.only_tenant_id IS 'The only tenant that the operator sees; null for all. No foreign key: the number of a purged tenant is never given again, and its operators then see nothing.';

COMMENT ON COLUMN kith.operators.is_read_only IS 'Whether the operator may read and do nothing else.';

CREATE TABLE kith.otp_codes (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    user_id uuid,
    code_hash bytea NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    ended_at kith.instant,
    address_is_hashed boolean DEFAULT false NOT NULL,
    by_known_device boolean DEFAULT false NOT NULL,
    CONSTRAINT otp_codes_hash_is_hmac_sha256 CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT otp_codes_of_a_contact_have_their_user CHECK (((address_is_hashed AND (user_id IS NULL)) OR ((purpose = 'contact'::text) = (user_id IS NOT NULL)))),
    CONSTRAINT otp_codes_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'contact'::text])))
);

ALTER TABLE ONLY kith.otp_codes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.otp_codes IS 'One-time codes, including those whose message was not sent. Kept for 30 days, together with the delivery of the same id.';

COMMENT ON COLUMN kith.otp_codes.address IS 'A phone number in E.164, or an e-mail address with ASCII letters in lower case.';

COMMENT ON COLUMN kith.otp_codes.user_id IS 'The user who wants to verify the contact. Null for sign-in, when the user is not known yet.';

COMMENT ON COLUMN kith.otp_codes.code_hash IS 'HMAC-SHA-256 of the code under a key derived from the master key, bound to tenant, address and id. A plain hash would be broken by trying all million codes.';

COMMENT ON COLUMN kith.otp_codes.tries IS 'How often the code was tried: with its id as the challenge, or without a challenge while it was one of the address''s two newest. Five tries are allowed.';

COMMENT ON COLUMN kith.otp_codes.ended_at IS 'When this code, or another code for the same address, was used.';

COMMENT ON COLUMN kith.otp_codes.address_is_hashed IS 'Whether the account of the address was deleted. The address is then a hash, under which the code counts for the limits of its day and for nothing else.';

COMMENT ON COLUMN kith.otp_codes.by_known_device IS 'Whether the request came with a refresh token of the address''s user. Such codes have limits of their own, which strangers cannot use up, and can be tried only with their challenge.';

CREATE TABLE kith.otp_counts (
    tenant_id integer NOT NULL,
    counted_on kith.calendar_date NOT NULL,
    scope text NOT NULL,
    codes integer NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.otp_counts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.otp_counts IS 'How many messages a tenant requested in a UTC day. Kept for 90 days.';

COMMENT ON COLUMN kith.otp_counts.scope IS 'What is counted: `email` or `sms`; `email known` or `sms known` for codes requested by known devices; `dropped` if sign-up is closed and nobody has the address; `sms invitations`. A calling code is appended for a country, as in `sms +49`. `capped by` address, user, tenant or `country +49` counts refusals.';

CREATE TABLE kith.otp_tries (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    address text NOT NULL,
    tried_at kith.instant NOT NULL,
    by_known_device boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY kith.otp_tries FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.otp_tries IS 'Tries of one-time codes for an address, refused ones included, for the limit of ten an hour. Deleted after an hour.';

COMMENT ON COLUMN kith.otp_tries.by_known_device IS 'Whether the challenge of a known device''s code was named. Such tries have a limit of their own, which strangers cannot use up.';

CREATE TABLE kith.outages (
    component text NOT NULL,
    began_at kith.instant NOT NULL,
    ended_at kith.instant,
    sender_told_at kith.instant,
    told_deadline_at kith.instant,
    told_tenant_id integer,
    told_sender_id uuid,
    CONSTRAINT outages_component_is_known CHECK ((component = ANY (ARRAY['server'::text, 'worker'::text]))),
    CONSTRAINT outages_end_after_they_begin CHECK (((ended_at)::timestamp with time zone > (began_at)::timestamp with time zone))
);

ALTER TABLE ONLY kith.outages FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.outages IS 'Times in which Kith itself was down, because no server or no worker sent a heartbeat for a minute. A miss whose last 15 minutes overlap with an outage waits until 15 minutes after its end.';

COMMENT ON COLUMN kith.outages.sender_told_at IS 'When all senders whose pings waited because of the outage had been told.';

COMMENT ON COLUMN kith.outages.told_deadline_at IS 'With told_tenant_id and told_sender_id, how far the worker has come with telling the senders, in the order of deadlines.';

CREATE TABLE kith.ping_gaps (
    tenant_id integer NOT NULL,
    ping_on kith.calendar_date NOT NULL,
    connection_id uuid NOT NULL,
    found_at kith.instant NOT NULL,
    mended boolean NOT NULL
);

ALTER TABLE ONLY kith.ping_gaps FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.ping_gaps IS 'Active connections that the hourly check found without a ping for their local date, and without a reason for that (X25).';

COMMENT ON COLUMN kith.ping_gaps.mended IS 'Whether the ping was still created, because its deadline was ahead.';

CREATE TABLE kith.ping_runs (
    tenant_id integer NOT NULL,
    time_zone text NOT NULL,
    ping_on kith.calendar_date NOT NULL,
    starts_at kith.instant NOT NULL,
    cursor_sender_id uuid,
    created bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    finished_at kith.instant
);

ALTER TABLE ONLY kith.ping_runs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.ping_runs IS 'The unit of generation: one tenant, one time zone and one local date. A batch moves the cursor in the transaction that inserts its pings.';

COMMENT ON COLUMN kith.ping_runs.starts_at IS 'The midnight of ping_on in the zone. The run is due from then on.';

COMMENT ON COLUMN kith.ping_runs.cursor_sender_id IS 'The last sender whose pings were generated; null before the first.';

COMMENT ON COLUMN kith.ping_runs.skipped IS 'How many pings were not created because their deadline had passed when the run reached them, after the worker had been down. Such pings are never recorded as missed.';

CREATE TABLE kith.pings (
    tenant_id integer NOT NULL,
    ping_on kith.calendar_date NOT NULL,
    connection_id uuid NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    scheduled_at kith.instant NOT NULL,
    remind_at kith.instant,
    deadline_at kith.instant NOT NULL,
    completed_at kith.instant,
    check_in_id uuid,
    note kith.note,
    asked_at kith.instant,
    judge_at kith.instant,
    alarmed_at kith.instant,
    is_unreached boolean,
    CONSTRAINT pings_completed_says_when CHECK (((status = ANY (ARRAY['completed'::text, 'completed_late'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT pings_deadline_is_after_schedule CHECK (((deadline_at)::timestamp with time zone > (scheduled_at)::timestamp with time zone)),
    CONSTRAINT pings_status_is_known CHECK ((status = ANY (ARRAY['scheduled'::text, 'due'::text, 'completed'::text, 'missed'::text, 'completed_late'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (ping_on);

ALTER TABLE ONLY kith.pings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.pings IS 'One connection and one local date of its sender: is the sender safe today? Monthly partitions. There are no foreign keys, because rows are created only from connections, a million at a time.';

COMMENT ON COLUMN kith.pings.ping_on IS 'The local date in the sender''s zone.';

COMMENT ON COLUMN kith.pings.receiver_id IS 'The connection''s receiver, copied here so that a policy needs no other table.';

COMMENT ON COLUMN kith.pings.status IS 'scheduled → due → completed | missed → completed_late. A ping can also be cancelled, and brought back on the same day.';

COMMENT ON COLUMN kith.pings.remind_at IS 'When to remind the sender; null if they were reminded or a reminder is pointless.';

COMMENT ON COLUMN kith.pings.deadline_at IS 'When an unanswered ping is missed. Neither load nor an outage of Kith moves it. After a restore, a ping whose answer may be lost begins anew.';

COMMENT ON COLUMN kith.pings.note IS 'The note of the check-in, if the sender shares it with their receivers (P40). It is here so that an answer needs no other table.';

COMMENT ON COLUMN kith.pings.asked_at IS 'When the sender was last asked: told that the ping is due, or at the screen when it began. Null if nobody asked them, as on a pending connection.';

COMMENT ON COLUMN kith.pings.judge_at IS 'Until when the judgement waits, because the workers were away when the sender should have been asked (X35). Null if deadline_at decides. deadline_at stays as promised.';

COMMENT ON COLUMN kith.pings.alarmed_at IS 'When the receiver was told that the ping was missed. Null if they were told nothing, so that they get no all-clear.';

COMMENT ON COLUMN kith.pings.is_unreached IS 'True if the ping was missed, and no channel had taken a notice of it by then (X37): its receiver is told so, and its day is no sign of silence (E03). Kept here, because the deliveries that show it are deleted before the ping is. Otherwise null.';

CREATE TABLE kith.pings_default (
    tenant_id integer NOT NULL,
    ping_on kith.calendar_date NOT NULL,
    connection_id uuid NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    scheduled_at kith.instant NOT NULL,
    remind_at kith.instant,
    deadline_at kith.instant NOT NULL,
    completed_at kith.instant,
    check_in_id uuid,
    note kith.note,
    asked_at kith.instant,
    judge_at kith.instant,
    alarmed_at kith.instant,
    is_unreached boolean,
    CONSTRAINT pings_completed_says_when CHECK (((status = ANY (ARRAY['completed'::text, 'completed_late'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT pings_deadline_is_after_schedule CHECK (((deadline_at)::timestamp with time zone > (scheduled_at)::timestamp with time zone)),
    CONSTRAINT pings_status_is_known CHECK ((status = ANY (ARRAY['scheduled'::text, 'due'::text, 'completed'::text, 'missed'::text, 'completed_late'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY kith.pings_default FORCE ROW LEVEL SECURITY;

CREATE TABLE kith.places (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    sealed_key bytea NOT NULL,
    sealed_place bytea NOT NULL,
    received_at kith.instant NOT NULL,
    located_at kith.instant,
    CONSTRAINT places_sealed_key_is_short CHECK ((octet_length(sealed_key) <= 200)),
    CONSTRAINT places_sealed_place_is_short CHECK ((octet_length(sealed_place) <= 1000))
);

ALTER TABLE ONLY kith.places FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.places IS 'Where a person was when they last said so with a check-in or a call for help (K08), sealed by the server. Only the newest one is kept, for 7 days.';

COMMENT ON COLUMN kith.places.sealed_key IS 'The key of the place, sealed under the master key and bound to tenant and user.';

COMMENT ON COLUMN kith.places.sealed_place IS '{latitude, longitude, accuracy_meters, at} as JSON, sealed under that key.';

COMMENT ON COLUMN kith.places.located_at IS 'When the device was there. A place that arrives late does not replace a newer one. Null where the device did not say.';

CREATE TABLE kith.quiet_hours (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    starts_at kith.time_of_day NOT NULL,
    ends_at kith.time_of_day NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT quiet_hours_end_other_than_they_start CHECK (((starts_at)::time without time zone <> (ends_at)::time without time zone))
);

ALTER TABLE ONLY kith.quiet_hours FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.quiet_hours IS 'When a user is not to be disturbed (F04), in the time zone of their account. If ends_at is before starts_at, the quiet hours cross midnight.';

CREATE TABLE kith.raised_quotas (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    act text NOT NULL,
    allowed integer NOT NULL,
    allowed_until kith.instant NOT NULL,
    CONSTRAINT raised_quotas_act_is_short CHECK (((char_length(act) >= 1) AND (char_length(act) <= 30))),
    CONSTRAINT raised_quotas_allow_a_number CHECK (((allowed >= 1) AND (allowed <= 100000)))
);

ALTER TABLE ONLY kith.raised_quotas FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.raised_quotas IS 'What an operator allows one user in a UTC day, for a time, in place of internal.acts_a_day (admin.raise_quota). Few rows; a call looks only once the usual limit is used up.';

COMMENT ON COLUMN kith.raised_quotas.act IS 'What is counted, as in kith.act_counts.';

COMMENT ON COLUMN kith.raised_quotas.allowed IS 'How often in a UTC day.';

COMMENT ON COLUMN kith.raised_quotas.allowed_until IS 'When it ends by itself. The row stays until the next raise, or the end of the account.';

CREATE TABLE kith.receiver_profiles (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    subscription_status text DEFAULT 'trial'::text NOT NULL,
    subscription_expires_at kith.instant,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    good_until kith.instant GENERATED ALWAYS AS (
CASE
    WHEN ((subscription_status = 'expired'::text) OR ((subscription_status = 'canceled'::text) AND (subscription_expires_at IS NULL))) THEN LEAST(subscription_expires_at, updated_at)
    ELSE subscription_expires_at
END) STORED,
    pings_stop_at kith.instant,
    pings_stopped_at kith.instant,
    ended_at kith.instant,
    CONSTRAINT receiver_profiles_are_told_before_pings_stop CHECK (((pings_stopped_at IS NULL) OR (pings_stop_at IS NOT NULL))),
    CONSTRAINT receiver_profiles_subscription_is_known CHECK ((subscription_status = ANY (ARRAY['trial'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'expired'::text])))
);

ALTER TABLE ONLY kith.receiver_profiles FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.receiver_profiles IS 'A user who is told whether senders are safe, and whether their subscription is in good standing (P09).';

COMMENT ON COLUMN kith.receiver_profiles.good_until IS 'When the subscription''s good standing ends (P09); null if it does not end. It is subscription_expires_at, with two exceptions. For expired it is the earlier of subscription_expires_at and updated_at. For canceled without an end it is updated_at.';

COMMENT ON COLUMN kith.receiver_profiles.pings_stop_at IS 'When pings to this receiver stop. The receiver and their senders were told this instant when the subscription lapsed. Null if it has not lapsed (X28).';

COMMENT ON COLUMN kith.receiver_profiles.pings_stopped_at IS 'When the worker stopped the pings.';

COMMENT ON COLUMN kith.receiver_profiles.ended_at IS 'When the user stopped being a receiver (P39); null while they are one. The row stays, so that nobody begins a new trial this way.';

CREATE TABLE kith.refresh_tokens (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    family_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    used_at kith.instant,
    predecessor_id uuid,
    CONSTRAINT refresh_tokens_hash_is_sha256 CHECK ((octet_length(secret_hash) = 32))
);

ALTER TABLE ONLY kith.refresh_tokens FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.refresh_tokens IS 'Refresh tokens (kith_rt_…), each valid for one use. Only the SHA-256 of a token is stored, which is safe because a token has 256 random bits.';

COMMENT ON COLUMN kith.refresh_tokens.used_at IS 'When the token was first exchanged. For a minute, and only until a successor is used, it can be exchanged again, because answers get lost.';

COMMENT ON COLUMN kith.refresh_tokens.predecessor_id IS 'The token whose use returned this one; null for the first token of a family. Tokens with the same predecessor are siblings: each of them can begin a line of its own, until another has been in use for a day.';

CREATE TABLE kith.retention_cuts (
    tenant_id integer NOT NULL,
    kind text NOT NULL,
    days integer NOT NULL,
    ends_at kith.instant NOT NULL,
    CONSTRAINT retention_cuts_days_in_bounds CHECK (((days >= 0) AND (days <= 36500))),
    CONSTRAINT retention_cuts_kind_is_known CHECK ((kind = ANY (ARRAY['pings'::text, 'check_ins'::text, 'notifications'::text, 'deliveries'::text, 'history'::text, 'audit'::text, 'feedback_and_requests'::text])))
);

ALTER TABLE ONLY kith.retention_cuts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.retention_cuts IS 'Retentions that were made shorter in the last 7 days. The former one still counts, so that a mistake can be undone (decision 28).';

COMMENT ON COLUMN kith.retention_cuts.kind IS 'What is kept, as in internal.retentions.';

COMMENT ON COLUMN kith.retention_cuts.days IS 'For how many days it is kept until ends_at.';

CREATE TABLE kith.retention_passes (
    tenant_id integer NOT NULL,
    kind text NOT NULL,
    began_at kith.instant NOT NULL,
    until_at kith.instant NOT NULL,
    after_on kith.calendar_date,
    after_id uuid,
    deleted bigint DEFAULT 0 NOT NULL,
    finished_at kith.instant,
    done_until_at kith.instant,
    CONSTRAINT retention_passes_kind_is_known CHECK ((kind = ANY (ARRAY['pings'::text, 'check_ins'::text, 'notifications'::text, 'deliveries'::text, 'history'::text, 'audit'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.retention_passes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.retention_passes IS 'The last time that the worker went through the old rows of a tenant and kind, once a day. A batch moves the cursor in the transaction that deletes its rows, so that no batch reads again what earlier ones have deleted.';

COMMENT ON COLUMN kith.retention_passes.until_at IS 'Rows older than this are deleted, unless they are still owed.';

COMMENT ON COLUMN kith.retention_passes.after_on IS 'The date of the last ping that was deleted; null for other kinds, and before the first.';

COMMENT ON COLUMN kith.retention_passes.after_id IS 'The last row that was deleted; for pings, its connection. Null before the first.';

COMMENT ON COLUMN kith.retention_passes.deleted IS 'How many rows this pass has deleted.';

COMMENT ON COLUMN kith.retention_passes.done_until_at IS 'The until_at of the last pass that was finished; null before the first.';

CREATE TABLE kith.sender_profiles (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    time_zone text NOT NULL,
    ping_time kith.time_of_day NOT NULL,
    grace_minutes integer NOT NULL,
    reminder_minutes integer NOT NULL,
    timed_at kith.instant NOT NULL,
    last_check_in_at kith.instant,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    break_from_on kith.calendar_date,
    break_until_on kith.calendar_date,
    last_note kith.note,
    share_phone boolean DEFAULT false NOT NULL,
    has_own_time_zone boolean DEFAULT false NOT NULL,
    ended_at kith.instant,
    emergency_since kith.instant,
    last_source kith.check_in_source,
    reminders kith.reminders,
    first_reminder_minutes integer,
    unaskable_since kith.instant,
    CONSTRAINT sender_profiles_break_is_whole CHECK (((break_from_on IS NULL) = (break_until_on IS NULL))),
    CONSTRAINT sender_profiles_grace_in_bounds CHECK (((grace_minutes >= 5) AND (grace_minutes < 720))),
    CONSTRAINT sender_profiles_reminder_is_before_deadline CHECK (((reminder_minutes > 0) AND (reminder_minutes < grace_minutes))),
    CONSTRAINT sender_profiles_reminders_agree CHECK (((NOT (((((reminders)::jsonb -> 0) -> 'before_minutes'::text))::integer IS DISTINCT FROM first_reminder_minutes)) AND COALESCE((((((reminders)::jsonb -> '-1'::integer) -> 'before_minutes'::text))::integer = reminder_minutes), true) AND COALESCE((first_reminder_minutes < grace_minutes), true))),
    CONSTRAINT sender_profiles_texts_are_short CHECK ((char_length(time_zone) <= 64))
)
WITH (fillfactor='80');

ALTER TABLE ONLY kith.sender_profiles FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.sender_profiles IS 'A user who says "I''m safe" once a day, and when. The ping time is local to time_zone.';

COMMENT ON COLUMN kith.sender_profiles.ping_time IS 'The local time of day at which pings become due. In a gap of daylight saving time it moves to the end of the gap; in an overlap it is the first of the two instants (X25).';

COMMENT ON COLUMN kith.sender_profiles.timed_at IS 'When the zone, the ping time or the grace last changed, or a break of that day was cancelled. A day whose deadline had passed by then has no ping.';

COMMENT ON COLUMN kith.sender_profiles.last_check_in_at IS 'The newest received_at of the sender''s check-ins. It is here because receivers may see this instant, but not the check-in with its note.';

COMMENT ON COLUMN kith.sender_profiles.break_from_on IS 'The first date of the sender''s newest break that has at least one day. It stays after the break, because a late run must know it.';

COMMENT ON COLUMN kith.sender_profiles.break_until_on IS 'The last date of the same break.';

COMMENT ON COLUMN kith.sender_profiles.last_note IS 'The note of the newest check-in, if the sender shares it with their receivers (P40); null otherwise.';

COMMENT ON COLUMN kith.sender_profiles.share_phone IS 'Whether receivers see the sender''s phone number beside a missed ping.';

COMMENT ON COLUMN kith.sender_profiles.has_own_time_zone IS 'Whether the sender chose a zone for pings other than the account''s. Otherwise time_zone follows the account''s zone.';

COMMENT ON COLUMN kith.sender_profiles.ended_at IS 'When the user stopped being a sender (P39); null while they are one. Then no connection of theirs as a sender is live.';

COMMENT ON COLUMN kith.sender_profiles.emergency_since IS 'Since when a request for emergency access to a vault of the sender may be open. Null if none is, so that a check-in need not look.';

COMMENT ON COLUMN kith.sender_profiles.last_source IS 'How the newest check-in came (J05). Null before the first one.';

COMMENT ON COLUMN kith.sender_profiles.reminders IS 'The sender''s own reminders (J06), the earliest first: [{before_minutes, channels?}], at most 4. The last one has reminder_minutes. Null if there is only that one, on the channels of ping_reminder.';

COMMENT ON COLUMN kith.sender_profiles.first_reminder_minutes IS 'The minutes of the earliest of reminders, which generation reads from the index. Null if reminders is.';

COMMENT ON COLUMN kith.sender_profiles.unaskable_since IS 'Since when it is known that no message can ask the sender for a check-in, of which their receivers were told (X37). Null while they can be asked.';

CREATE TABLE kith.set_aside (
    tenant_id integer NOT NULL,
    loop text NOT NULL,
    key text NOT NULL,
    sqlstate text NOT NULL,
    place text NOT NULL,
    first_at kith.instant NOT NULL,
    tries integer NOT NULL,
    retry_at kith.instant NOT NULL,
    reported_at kith.instant,
    CONSTRAINT set_aside_key_is_short CHECK (((char_length(key) >= 1) AND (char_length(key) <= 300))),
    CONSTRAINT set_aside_loop_is_short CHECK (((char_length(loop) >= 1) AND (char_length(loop) <= 50))),
    CONSTRAINT set_aside_place_is_short CHECK ((char_length(place) <= 300)),
    CONSTRAINT set_aside_sqlstate_has_five_characters CHECK ((sqlstate ~ '^[0-9A-Z]{5}$'::text)),
    CONSTRAINT set_aside_was_tried CHECK ((tries > 0))
);

ALTER TABLE ONLY kith.set_aside FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.set_aside IS 'Rows that a loop of the worker cannot process. The loop leaves each out until retry_at and goes on with all others (decision 37). Usually empty.';

COMMENT ON COLUMN kith.set_aside.tenant_id IS 'The tenant of the row; 0 if it belongs to the installation, as a partition does. No foreign key, because of the 0.';

COMMENT ON COLUMN kith.set_aside.loop IS 'The procedure of schema worker that failed.';

COMMENT ON COLUMN kith.set_aside.key IS 'What names the row, as in internal.row_key.';

COMMENT ON COLUMN kith.set_aside.place IS 'Where the error happened, without any value of the row (internal.error_place).';

COMMENT ON COLUMN kith.set_aside.first_at IS 'When it failed for the first time.';

COMMENT ON COLUMN kith.set_aside.tries IS 'How often it has failed.';

COMMENT ON COLUMN kith.set_aside.retry_at IS 'When the loop tries it again.';

COMMENT ON COLUMN kith.set_aside.reported_at IS 'When a worker wrote its last failure to the log.';

CREATE TABLE kith.share_participants (
    tenant_id integer NOT NULL,
    share_id uuid NOT NULL,
    participant_id text NOT NULL,
    nominee_id uuid NOT NULL,
    acceptance_status text NOT NULL,
    permission text NOT NULL,
    role text NOT NULL,
    updated_at kith.instant NOT NULL,
    removed_at kith.instant,
    CONSTRAINT share_participants_acceptance_is_known CHECK ((acceptance_status = ANY (ARRAY['unknown'::text, 'pending'::text, 'accepted'::text, 'removed'::text]))),
    CONSTRAINT share_participants_id_is_short CHECK (((char_length(participant_id) >= 1) AND (char_length(participant_id) <= 255))),
    CONSTRAINT share_participants_permission_is_known CHECK ((permission = ANY (ARRAY['unknown'::text, 'none'::text, 'readOnly'::text, 'readWrite'::text]))),
    CONSTRAINT share_participants_role_is_known CHECK ((role = ANY (ARRAY['unknown'::text, 'privateUser'::text, 'publicUser'::text])))
);

ALTER TABLE ONLY kith.share_participants FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.share_participants IS 'A participant of a share as the service last reported it, and the nominee made from it. Name, phone and e-mail are in the nominee''s row.';

COMMENT ON COLUMN kith.share_participants.nominee_id IS 'The newest nominee of the participant. If the participant is removed and comes back, that is another nominee.';

CREATE TABLE kith.shared_issuers (
    issuer text NOT NULL,
    shared_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.shared_issuers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.shared_issuers IS 'Issuers, such as large sign-in services, that sign tokens for the apps of many tenants, each with its own audience. They belong to the installation. The operator maintains them.';

CREATE TABLE kith.shares (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    record_name text NOT NULL,
    url text,
    permission text DEFAULT 'readOnly'::text NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    ended_at kith.instant,
    missing_at kith.instant,
    CONSTRAINT shares_missing_are_ended CHECK (((missing_at IS NULL) OR (ended_at IS NOT NULL))),
    CONSTRAINT shares_permission_is_known CHECK ((permission = ANY (ARRAY['readOnly'::text, 'readWrite'::text]))),
    CONSTRAINT shares_record_name_is_short CHECK (((char_length(record_name) >= 1) AND (char_length(record_name) <= 255))),
    CONSTRAINT shares_url_is_https CHECK (((url ~ '^https://[^[:space:]]+$'::text) AND (char_length(url) <= 2000)))
);

ALTER TABLE ONLY kith.shares FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.shares IS 'A vault''s link to an external sharing service such as CloudKit (C01).';

COMMENT ON COLUMN kith.shares.record_name IS 'The service''s name for the share. Kith does not interpret it.';

COMMENT ON COLUMN kith.shares.missing_at IS 'When the app reported that the service no longer has the record. The share that is made next takes over its participants (C08).';

CREATE TABLE kith.signs (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    allow_get boolean DEFAULT false NOT NULL,
    token_hash bytea NOT NULL,
    created_at kith.instant NOT NULL,
    last_used_at kith.instant,
    reports integer DEFAULT 0 NOT NULL,
    CONSTRAINT signs_kind_is_known CHECK ((kind = ANY (ARRAY['check_in'::text, 'activity'::text]))),
    CONSTRAINT signs_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT signs_token_hash_is_sha256 CHECK ((octet_length(token_hash) = 32))
)
WITH (fillfactor='80');

ALTER TABLE ONLY kith.signs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.signs IS 'Secret addresses for things of a person: a button, a phone''s shortcut, a sensor (J04). A report is no row of its own: a sign keeps the instant of its newest one.';

COMMENT ON COLUMN kith.signs.kind IS 'check_in: a person presses it, and it counts as a check-in. activity: it shows that something moved, and is never a sign of life.';

COMMENT ON COLUMN kith.signs.allow_get IS 'Whether a GET of the address counts too, for things that can send nothing else. Whatever follows links can then trigger it.';

COMMENT ON COLUMN kith.signs.token_hash IS 'SHA-256 of the token in the address. The token itself is shown once.';

COMMENT ON COLUMN kith.signs.last_used_at IS 'When the newest report came that counted or was of a stuck button. internal.is_merged_report says which further ones are merged with it.';

COMMENT ON COLUMN kith.signs.reports IS 'How many reports have counted, the newest included, since the last six hours of silence. internal.is_stuck says from which on nobody presses it.';

CREATE TABLE kith.signs_of_life (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    seen_at kith.instant,
    answered_at kith.instant,
    recount_at kith.instant
);

ALTER TABLE ONLY kith.signs_of_life FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.signs_of_life IS 'Signs of life other than check-ins, of owners who have given somebody the right to emergency access. sender_profiles.last_check_in_at has the check-ins.';

COMMENT ON COLUMN kith.signs_of_life.seen_at IS 'The last signed-in use, to the minute. Only kept while a right of the owner counts any use (E03).';

COMMENT ON COLUMN kith.signs_of_life.answered_at IS 'When the owner last answered a request for emergency access, or gave a right to it.';

COMMENT ON COLUMN kith.signs_of_life.recount_at IS 'Since when the worker must count the owner''s missed days, because a ping was missed. Null if nothing has been missed since it last did.';

CREATE TABLE kith.suspensions (
    tenant_id integer NOT NULL,
    began_at kith.instant NOT NULL,
    ended_at kith.instant NOT NULL,
    CONSTRAINT suspensions_end_after_they_begin CHECK (((ended_at)::timestamp with time zone > (began_at)::timestamp with time zone))
);

ALTER TABLE ONLY kith.suspensions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.suspensions IS 'When a tenant was suspended, so that its users could not check in. Those days are nobody''s silence (E03). tenants.suspended_at has the present one.';

CREATE TABLE kith.tenant_cells (
    tenant_id integer NOT NULL,
    slug text NOT NULL,
    cell text NOT NULL,
    version bigint NOT NULL
);

ALTER TABLE ONLY kith.tenant_cells FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_cells IS 'The cell of each tenant of the installation. A tenant is entered before it is created in its cell, so that its number and its slug are unique over all cells.';

COMMENT ON COLUMN kith.tenant_cells.version IS 'The version of the map (kith.cell_map) in which the row changed last.';

CREATE TABLE kith.tenant_imports (
    tenant_id integer NOT NULL,
    began_at kith.instant NOT NULL,
    manifest jsonb NOT NULL,
    files integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY kith.tenant_imports FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_imports IS 'Tenants whose import has begun (G08). They count as deleted until all of it is there and verified, when the row is deleted.';

COMMENT ON COLUMN kith.tenant_imports.manifest IS 'The manifest of the export, so that no other export continues the import.';

COMMENT ON COLUMN kith.tenant_imports.files IS 'How many of the export''s files, in the manifest''s order, have their rows here. Each is written in one transaction.';

CREATE TABLE kith.tenant_moves (
    tenant_id integer NOT NULL,
    slug text NOT NULL,
    source text NOT NULL,
    target text NOT NULL,
    step text DEFAULT 'copy'::text NOT NULL,
    began_at kith.instant NOT NULL,
    began_by text NOT NULL,
    CONSTRAINT tenant_moves_lead_elsewhere CHECK ((source <> target)),
    CONSTRAINT tenant_moves_step_is_known CHECK ((step = ANY (ARRAY['copy'::text, 'hold'::text, 'switch'::text, 'clean'::text, 'abort'::text])))
);

ALTER TABLE ONLY kith.tenant_moves FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_moves IS 'In the directory: the tenants that are being moved from one cell to another. Who serves a tenant is decided by kith.moving_tenants in the two cells, not here.';

COMMENT ON COLUMN kith.tenant_moves.step IS 'How far kith tenant move has come: copy: rows are copied and changes follow; hold: writes wait; switch: the map names the target; clean: the target serves, and the source''s rows are deleted; abort: the target''s rows are deleted.';

CREATE TABLE kith.tenant_purges (
    tenant_id integer NOT NULL,
    began_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.tenant_purges FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_purges IS 'Deleted tenants whose rows are being deleted (G08). They cannot be restored. The row goes with the tenant.';

CREATE TABLE kith.tenant_sizes (
    tenant_id integer NOT NULL,
    sampled_on kith.calendar_date NOT NULL,
    bytes bigint NOT NULL,
    connections bigint,
    codes bigint
);

ALTER TABLE ONLY kith.tenant_sizes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_sizes IS 'How much of the disk each tenant''s rows take, estimated once a day from a sample of each table, and what is counted then because counting takes long. Kept for 400 days.';

COMMENT ON COLUMN kith.tenant_sizes.bytes IS 'The tenant''s share of the sampled rows of each table, times the size of the table with its indexes.';

COMMENT ON COLUMN kith.tenant_sizes.connections IS 'How many active and pending connections it had.';

COMMENT ON COLUMN kith.tenant_sizes.codes IS 'How many connection codes it had given out.';

CREATE TABLE kith.tenant_texts (
    tenant_id integer NOT NULL,
    locale text NOT NULL,
    key text NOT NULL,
    forms jsonb NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT tenant_texts_forms_are_bounded CHECK (((jsonb_typeof(forms) = 'object'::text) AND (char_length((forms)::text) <= 10000))),
    CONSTRAINT tenant_texts_key_is_words CHECK (((key ~ '^[a-z_]+([.][a-z_]+)+$'::text) AND (char_length(key) <= 100))),
    CONSTRAINT tenant_texts_locale_is_a_tag CHECK (((locale ~ '^[a-z]{2,8}(-[a-z0-9]{1,8})*$'::text) AND (char_length(locale) <= 35)))
);

ALTER TABLE ONLY kith.tenant_texts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_texts IS 'The texts that a tenant has replaced by its own words. internal.text_errors says which can be replaced, and by what.';

COMMENT ON COLUMN kith.tenant_texts.locale IS 'The language, as the catalogue tags it, in lower case.';

COMMENT ON COLUMN kith.tenant_texts.key IS 'The key of the text in the catalogue.';

COMMENT ON COLUMN kith.tenant_texts.forms IS 'The text of each plural category of the language that it has a form for; {"text": …} if no number decides its form.';

CREATE TABLE kith.tenant_usage (
    tenant_id integer NOT NULL,
    users integer NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.tenant_usage FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenant_usage IS 'What a tenant uses of its quotas. The counts are updated with each change, because counting a million users for each new one takes too long.';

CREATE TABLE kith.tenants (
    tenant_id integer DEFAULT nextval('kith.tenant_ids'::regclass) NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    brand_name text NOT NULL,
    brand_color text,
    brand_mark text,
    join_link text,
    universal_link_host text,
    allowed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    app_ids text[] DEFAULT '{}'::text[] NOT NULL,
    requires_subscription boolean DEFAULT true NOT NULL,
    requires_consent boolean DEFAULT false NOT NULL,
    sign_up_open boolean DEFAULT true NOT NULL,
    grace_minutes integer DEFAULT 90 NOT NULL,
    reminder_minutes integer DEFAULT 15 NOT NULL,
    subscription_grace_days integer DEFAULT 14 NOT NULL,
    session_maximum_minutes integer DEFAULT 720 NOT NULL,
    invitation_days integer DEFAULT 7 NOT NULL,
    retention_days integer DEFAULT 730 NOT NULL,
    user_quota integer DEFAULT 1000000 NOT NULL,
    code_misses_per_hour integer DEFAULT 5000 NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    deleted_at kith.instant,
    suspended_at kith.instant,
    sms_codes_per_day integer DEFAULT 5000 NOT NULL,
    sms_codes_per_country_per_day integer DEFAULT 2000 NOT NULL,
    sms_codes_per_number_per_day integer DEFAULT 10 NOT NULL,
    default_region text,
    app_link text,
    sign_in_url text,
    sms_enabled boolean DEFAULT false NOT NULL,
    sms_invitations_per_day integer DEFAULT 5000 NOT NULL,
    link_scheme text,
    vault_quota_mib integer DEFAULT 1024 NOT NULL,
    sms_notifications_per_user_per_day integer DEFAULT 20 NOT NULL,
    join_redirects boolean DEFAULT false NOT NULL,
    ping_retention_days integer DEFAULT 730 NOT NULL,
    notification_retention_days integer DEFAULT 365 NOT NULL,
    history_retention_days integer DEFAULT 1095 NOT NULL,
    audit_retention_days integer DEFAULT 1095 NOT NULL,
    delivery_retention_days integer DEFAULT 30 NOT NULL,
    default_locale text,
    texts_changed_at kith.instant,
    CONSTRAINT tenants_app_link_is_https CHECK (((app_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'::text) AND (char_length(app_link) <= 500))),
    CONSTRAINT tenants_audit_retention_in_bounds CHECK (((audit_retention_days >= 365) AND (audit_retention_days <= 3650))),
    CONSTRAINT tenants_brand_color_is_hexadecimal CHECK ((brand_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT tenants_brand_is_short CHECK ((((char_length(brand_name) >= 1) AND (char_length(brand_name) <= 80)) AND (brand_name !~ '[[:cntrl:]]'::text))),
    CONSTRAINT tenants_code_misses_in_bounds CHECK (((code_misses_per_hour >= 10) AND (code_misses_per_hour <= 1000000))),
    CONSTRAINT tenants_default_locale_is_a_tag CHECK (((default_locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'::text) AND (char_length(default_locale) <= 35))),
    CONSTRAINT tenants_default_region_is_two_letters CHECK ((default_region ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT tenants_delivery_retention_in_bounds CHECK (((delivery_retention_days >= 7) AND (delivery_retention_days <= 365))),
    CONSTRAINT tenants_grace_in_bounds CHECK (((grace_minutes >= 5) AND (grace_minutes < 720))),
    CONSTRAINT tenants_history_retention_in_bounds CHECK (((history_retention_days >= 365) AND (history_retention_days <= 3650))),
    CONSTRAINT tenants_host_is_a_name CHECK (((universal_link_host ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$'::text) AND (char_length(universal_link_host) <= 253))),
    CONSTRAINT tenants_invitation_in_bounds CHECK (((invitation_days >= 1) AND (invitation_days <= 90))),
    CONSTRAINT tenants_join_link_is_https CHECK (((join_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'::text) AND (char_length(join_link) <= 500))),
    CONSTRAINT tenants_link_scheme_is_an_apps CHECK ((link_scheme !~ '^(https?|wss?|s?ftps?|scp|ssh|telnet|file|data|(java|vb|j|live)script|mocha|blob|about|view-source|filesystem|resource|jar|res|its|mk|mhtml|hcp|help|wyciwyg|(chrome|moz|opera|edge|safari|ms|x-apple|app-prefs|prefs|itms|android|apple|search|shell|settings)([.+-].*)?|itms.*|market|content|intent|mailto|tel|telprompt|callto|smsto|sms|mmsto|mms|facetime.*|sips?|xmpp|ircs?|skype|msteams|zoommtg|zoomus|slack|discord|whatsapp|viber|tg|line|fb|fbmessenger|instagram|twitter|maps|geo|webcal|magnet|bitcoin|ethereum|lightning|upi|paypal|venmo|ldaps?|gopher|news|nntp|urn|cid|mid|vnc|rdp|steam|shortcuts|outlook|onenote)$'::text)),
    CONSTRAINT tenants_link_scheme_is_one CHECK ((link_scheme ~ '^[a-z][a-z0-9+.-]{2,49}$'::text)),
    CONSTRAINT tenants_name_is_short CHECK ((((char_length(name) >= 1) AND (char_length(name) <= 200)) AND (name !~ '[[:cntrl:]]'::text))),
    CONSTRAINT tenants_notification_retention_in_bounds CHECK (((notification_retention_days >= 90) AND (notification_retention_days <= 3650))),
    CONSTRAINT tenants_origins_are_origins CHECK (((array_position(allowed_origins, NULL::text) IS NULL) AND (array_to_string(allowed_origins, ' '::text) ~ '^(https?://[a-z0-9.-]+(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?( https?://[a-z0-9.-]+(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?)*)?$'::text))),
    CONSTRAINT tenants_ping_retention_in_bounds CHECK (((ping_retention_days >= 90) AND (ping_retention_days <= 3650))),
    CONSTRAINT tenants_redirect_leads_somewhere CHECK (((NOT join_redirects) OR (app_link IS NOT NULL))),
    CONSTRAINT tenants_reminder_is_before_deadline CHECK (((reminder_minutes > 0) AND (reminder_minutes < grace_minutes))),
    CONSTRAINT tenants_retention_in_bounds CHECK (((retention_days >= 30) AND (retention_days <= 3650))),
    CONSTRAINT tenants_session_maximum_in_bounds CHECK (((session_maximum_minutes >= 5) AND (session_maximum_minutes <= 10080))),
    CONSTRAINT tenants_sign_in_url_is_https CHECK (((sign_in_url ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'::text) AND (char_length(sign_in_url) <= 500))),
    CONSTRAINT tenants_slug_is_a_label CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT tenants_sms_codes_in_bounds CHECK (((sms_codes_per_day >= 0) AND (sms_codes_per_day <= 10000000))),
    CONSTRAINT tenants_sms_codes_of_country_in_bounds CHECK (((sms_codes_per_country_per_day >= 0) AND (sms_codes_per_country_per_day <= 10000000))),
    CONSTRAINT tenants_sms_codes_of_number_in_bounds CHECK (((sms_codes_per_number_per_day >= 1) AND (sms_codes_per_number_per_day <= 100))),
    CONSTRAINT tenants_sms_invitations_in_bounds CHECK (((sms_invitations_per_day >= 0) AND (sms_invitations_per_day <= 10000000))),
    CONSTRAINT tenants_sms_notifications_in_bounds CHECK (((sms_notifications_per_user_per_day >= 0) AND (sms_notifications_per_user_per_day <= 10000))),
    CONSTRAINT tenants_status_is_known CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT tenants_subscription_grace_in_bounds CHECK (((subscription_grace_days >= 0) AND (subscription_grace_days <= 365))),
    CONSTRAINT tenants_user_quota_in_bounds CHECK (((user_quota >= 1) AND (user_quota <= 100000000))),
    CONSTRAINT tenants_vault_quota_in_bounds CHECK (((vault_quota_mib >= 1) AND (vault_quota_mib <= 1048576)))
);

ALTER TABLE ONLY kith.tenants FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.tenants IS 'One app or organisation. Every row about people belongs to exactly one tenant.';

COMMENT ON COLUMN kith.tenants.slug IS 'The tenant''s short name in URLs and headers, and the audience of its tokens. It never changes.';

COMMENT ON COLUMN kith.tenants.status IS 'active or suspended. If suspended, API calls answer 403 tenant_suspended, except those that a person needs to be safe (A02), and the worker still sends alarms.';

COMMENT ON COLUMN kith.tenants.brand_name IS 'The app''s name that people read in messages and on pages. A new tenant''s brand name is its name.';

COMMENT ON COLUMN kith.tenants.brand_color IS 'The colour of buttons and links on the pages, such as #0842a0: dark enough to be read on every panel (internal.brand_color_errors). Null for Kith''s own.';

COMMENT ON COLUMN kith.tenants.brand_mark IS 'Which picture of kith.brand_marks stands beside the brand''s name: its side in pixels and the beginning of its SHA-256, as in 256-1f0c6b7a9d2e4c58. Null if there is none.';

COMMENT ON COLUMN kith.tenants.join_link IS 'The link to which invitations to connect lead. Null means the join page of this server (internal.join_link).';

COMMENT ON COLUMN kith.tenants.allowed_origins IS 'The web origins whose scripts may call the API from a browser, such as https://app.example.com.';

COMMENT ON COLUMN kith.tenants.requires_subscription IS 'Whether a receiver whose subscription is not in good standing is refused new connections (P09).';

COMMENT ON COLUMN kith.tenants.requires_consent IS 'Whether a connection is pending until the code''s owner consents (P29).';

COMMENT ON COLUMN kith.tenants.grace_minutes IS 'The default grace of new sender profiles: minutes from the scheduled time to the deadline.';

COMMENT ON COLUMN kith.tenants.reminder_minutes IS 'The default reminder of new sender profiles: minutes before the deadline.';

COMMENT ON COLUMN kith.tenants.retention_days IS 'For how many days feedback, and ended requests for emergency access, are kept. Only an operator changes this and the other retentions, because a stolen secret key must not destroy evidence (decision 28).';

COMMENT ON COLUMN kith.tenants.code_misses_per_hour IS 'The ceiling of wrong codes per hour in the whole tenant. Above it, accounts younger than 24 hours are refused (A08).';

COMMENT ON COLUMN kith.tenants.deleted_at IS 'When an operator soft-deleted the tenant. The tenant is then treated as suspended, and the worker does nothing for it.';

COMMENT ON COLUMN kith.tenants.sms_codes_per_day IS 'The highest number of one-time codes by SMS per UTC day, over all numbers. Each SMS costs money, which attackers can exploit (A03).';

COMMENT ON COLUMN kith.tenants.sms_codes_per_country_per_day IS 'The highest number of one-time codes by SMS per UTC day to the numbers of one country calling code.';

COMMENT ON COLUMN kith.tenants.sms_codes_per_number_per_day IS 'The highest number of one-time codes by SMS to one number in 24 hours.';

COMMENT ON COLUMN kith.tenants.default_region IS 'The country (ISO 3166-1 alpha-2) assumed for phone numbers without a calling code, if neither the user''s phone nor their locale shows one.';

COMMENT ON COLUMN kith.tenants.app_link IS 'The link from which people install the app, such as its page in the App Store. The join page links to it.';

COMMENT ON COLUMN kith.tenants.sign_in_url IS 'The tenant''s own page for signing in, which leads back by a sign-in link (POST /v1/sign-in-links). The web client''s sign-in links to it.';

COMMENT ON COLUMN kith.tenants.sms_enabled IS 'Whether users can have invitations to connect sent by text message (P17). Codes and notifications do not depend on it. Only an operator changes it, because each message costs money.';

COMMENT ON COLUMN kith.tenants.sms_invitations_per_day IS 'The highest number of invitations that Kith sends by SMS per UTC day, over all users. Each one costs money.';

COMMENT ON COLUMN kith.tenants.link_scheme IS 'The scheme of links that open the tenant''s app (RFC 3986, section 3.1), as in khandoba://nominee/invite. If it is null, no such link is made.';

COMMENT ON COLUMN kith.tenants.vault_quota_mib IS 'The highest total size of a vault''s documents in MiB, including deleted documents that can be restored. Only an operator changes it.';

COMMENT ON COLUMN kith.tenants.sms_notifications_per_user_per_day IS 'The highest number of notifications that one user receives by SMS in 24 hours. Each one costs money. Types that break through quiet hours are not counted, and what follows an alarm is sent in any case.';

COMMENT ON COLUMN kith.tenants.join_redirects IS 'Whether the join page leads to app_link at once, instead of showing itself (P38).';

COMMENT ON COLUMN kith.tenants.ping_retention_days IS 'For how many days pings and check-ins are kept.';

COMMENT ON COLUMN kith.tenants.notification_retention_days IS 'For how many days notifications are kept.';

COMMENT ON COLUMN kith.tenants.history_retention_days IS 'For how many days the access history of vaults is kept.';

COMMENT ON COLUMN kith.tenants.audit_retention_days IS 'For how many days the audit of the tenant is kept.';

COMMENT ON COLUMN kith.tenants.delivery_retention_days IS 'For how many days deliveries of notifications are kept after they were sent or given up, with the addresses that they went to.';

COMMENT ON COLUMN kith.tenants.default_locale IS 'The language (BCP 47) of people whose own language Kith does not have, and of new accounts that name none. Null means English.';

COMMENT ON COLUMN kith.tenants.texts_changed_at IS 'When the tenant last changed its own words (kith.tenant_texts); null if it has none. Servers read them again when it changes.';

CREATE TABLE kith.text_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    address text NOT NULL,
    sent_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.text_invitations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.text_invitations IS 'Invitations to connect that Kith sent by SMS, for the limit of three to one number in 24 hours. Deleted after 24 hours.';

COMMENT ON COLUMN kith.text_invitations.address IS 'The number as a hash (internal.hashed_address), because its owner may have no account.';

CREATE TABLE kith.text_numbers (
    tenant_id integer NOT NULL,
    phone text NOT NULL,
    stopped_at kith.instant,
    explained_at kith.instant,
    answers integer DEFAULT 0 NOT NULL,
    answers_since kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT text_numbers_phone_is_short CHECK ((char_length(phone) <= 20))
);

ALTER TABLE ONLY kith.text_numbers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.text_numbers IS 'Phone numbers that have answered a text message of a tenant: whether they take more (STOP), and what they were answered, for limits. A row without STOP goes after two days.';

COMMENT ON COLUMN kith.text_numbers.stopped_at IS 'When the number answered STOP. No text message of the tenant goes to it, sign-in codes included, until it answers START. Null if it takes them.';

COMMENT ON COLUMN kith.text_numbers.explained_at IS 'When the number was last told what can be answered, because nobody understood what it had sent: at most once an hour.';

COMMENT ON COLUMN kith.text_numbers.answers IS 'How many answers the number has had since answers_since: at most 30 in 24 hours.';

CREATE TABLE kith.token_families (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at kith.instant NOT NULL,
    refreshed_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    ended_at kith.instant,
    end_reason text,
    CONSTRAINT token_families_end_for_a_known_reason CHECK ((end_reason = ANY (ARRAY['signed_out'::text, 'signed_out_everywhere'::text, 'reuse'::text]))),
    CONSTRAINT token_families_end_with_a_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL)))
);

ALTER TABLE ONLY kith.token_families FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.token_families IS 'A sign-in by one-time code. A family consists of the refresh tokens that follow each other, and the access tokens that carry its id as `sid`.';

COMMENT ON COLUMN kith.token_families.expires_at IS 'When the newest refresh token of the family expires.';

CREATE TABLE kith.transfer_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    transfer_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    channel text NOT NULL,
    created_at kith.instant NOT NULL,
    replaced_at kith.instant,
    outcome text,
    outcome_at kith.instant,
    CONSTRAINT transfer_invitations_channel_is_known CHECK ((channel = ANY (ARRAY['messages'::text, 'mail'::text, 'share'::text, 'link'::text, 'airdrop'::text, 'other'::text]))),
    CONSTRAINT transfer_invitations_hash_is_sha256 CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT transfer_invitations_outcome_is_known CHECK ((outcome = ANY (ARRAY['sent'::text, 'cancelled'::text, 'failed'::text, 'unavailable'::text])))
);

ALTER TABLE ONLY kith.transfer_invitations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.transfer_invitations IS 'A token with which a transfer can be answered once (C08). Only its SHA-256 is stored. A transfer says when its token expires and what became of it.';

COMMENT ON COLUMN kith.transfer_invitations.owner_id IS 'The user who offered the vault.';

COMMENT ON COLUMN kith.transfer_invitations.channel IS 'How the owner meant to send the invitation. Used only for statistics (C06).';

COMMENT ON COLUMN kith.transfer_invitations.replaced_at IS 'When the invitation was sent again with another token, which made this one void.';

COMMENT ON COLUMN kith.transfer_invitations.outcome IS 'The result of the phone''s message composer, as the app reported it (N17).';

CREATE TABLE kith.transfers (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text,
    phone text,
    email text,
    nominee_id uuid,
    keep_access boolean NOT NULL,
    status text NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    ended_at kith.instant,
    accepted_by uuid,
    email_normalized text GENERATED ALWAYS AS (lower((email COLLATE "C"))) STORED,
    CONSTRAINT transfers_accepted_says_by_whom CHECK (((status = 'accepted'::text) = (accepted_by IS NOT NULL))),
    CONSTRAINT transfers_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT transfers_ended_says_when CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
    CONSTRAINT transfers_name_a_nominee_or_a_contact CHECK (((nominee_id IS NULL) OR (COALESCE(name, phone, email) IS NULL))),
    CONSTRAINT transfers_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT transfers_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT transfers_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'cancelled'::text, 'expired'::text, 'vault_deleted'::text])))
);

ALTER TABLE ONLY kith.transfers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.transfers IS 'The offer of a vault to a person, by a token like an invitation (C07).';

COMMENT ON COLUMN kith.transfers.owner_id IS 'The user who offered the vault: its owner at that time.';

COMMENT ON COLUMN kith.transfers.name IS 'The name that the owner gave; null after an account that it may name ended.';

COMMENT ON COLUMN kith.transfers.nominee_id IS 'The nominee to whom the vault is offered, if the owner chose one: only the nominee''s user can accept. The name is then the nominee''s.';

COMMENT ON COLUMN kith.transfers.keep_access IS 'Whether the previous owner becomes a nominee with level full.';

COMMENT ON COLUMN kith.transfers.status IS 'pending, accepted, declined, cancelled, expired or vault_deleted. A pending transfer after its expires_at cannot be accepted. It becomes expired with the next offer.';

CREATE TABLE kith.undelivered_alarms (
    tenant_id integer NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    at kith.instant NOT NULL,
    webhook_told_at kith.instant,
    operators_at kith.instant,
    operator_told_at kith.instant,
    resolved_at kith.instant,
    examine_at kith.instant DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    CONSTRAINT undelivered_alarms_texts_are_short CHECK ((char_length(type) <= 50))
);

ALTER TABLE ONLY kith.undelivered_alarms FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.undelivered_alarms IS 'Alarms that reached their person on no channel. The tenant''s server is told by its webhooks, and then the operator is told, so that nobody mistakes silence for safety (F07).';

COMMENT ON COLUMN kith.undelivered_alarms.webhook_told_at IS 'When a webhook of the tenant accepted the news.';

COMMENT ON COLUMN kith.undelivered_alarms.operators_at IS 'When the alarm was handed to the operator, because no webhook accepted it in time or there is none.';

COMMENT ON COLUMN kith.undelivered_alarms.operator_told_at IS 'When the operator''s address outside Kith accepted the news.';

COMMENT ON COLUMN kith.undelivered_alarms.resolved_at IS 'When the alarm was resolved: a later attempt arrived, the person read it in the app, its reason was gone, or an operator resolved it.';

COMMENT ON COLUMN kith.undelivered_alarms.examine_at IS 'When the worker looks again whether the alarm still matters: after a minute, and later after a tenth of its age.';

CREATE TABLE kith.unique_codes (
    tenant_id integer NOT NULL,
    code text NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    permanent boolean NOT NULL,
    created_at kith.instant NOT NULL,
    expires_at kith.instant,
    rotated_at kith.instant,
    CONSTRAINT unique_codes_code_is_six_digits CHECK ((code ~ '^[0-9]{6}$'::text)),
    CONSTRAINT unique_codes_permanent_never_expires CHECK (((NOT permanent) OR (expires_at IS NULL))),
    CONSTRAINT unique_codes_role_is_known CHECK ((role = ANY (ARRAY['sender'::text, 'receiver'::text])))
);

ALTER TABLE ONLY kith.unique_codes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.unique_codes IS 'Six-digit codes, each owned by a user in one role (P19). A rotated or expired code answers expired_code for 90 days. Then it is free again.';

CREATE TABLE kith.usage_hours (
    tenant_id integer NOT NULL,
    hour kith.instant NOT NULL,
    caller text NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    faults bigint DEFAULT 0 NOT NULL,
    slow bigint DEFAULT 0 NOT NULL,
    CONSTRAINT usage_hours_caller_is_short CHECK (((char_length(caller) >= 1) AND (char_length(caller) <= 50)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY kith.usage_hours FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.usage_hours IS 'How many requests each tenant made in an hour, by secret key or by its users together. Servers add to it once a minute. Kept for 400 days.';

COMMENT ON COLUMN kith.usage_hours.hour IS 'The beginning of the hour, UTC.';

COMMENT ON COLUMN kith.usage_hours.caller IS 'users, key:<api key id>, or strangers: people who sign in.';

COMMENT ON COLUMN kith.usage_hours.refused IS 'Answers with a status from 400 to 499, the limits'' 429 among them.';

COMMENT ON COLUMN kith.usage_hours.faults IS 'Answers with a status of 500 or higher.';

COMMENT ON COLUMN kith.usage_hours.slow IS 'Answers that took a second or longer.';

CREATE TABLE kith.users (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    external_id text,
    display_name text,
    phone text,
    email text,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    has_chosen_zone boolean DEFAULT false NOT NULL,
    locale text DEFAULT 'en'::text NOT NULL,
    tokens_valid_from kith.instant NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    deleted_at kith.instant,
    phone_verified_at kith.instant,
    email_verified_at kith.instant,
    pending_phone text,
    pending_email text,
    email_normalized text GENERATED ALWAYS AS (lower((email COLLATE "C"))) STORED,
    CONSTRAINT users_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT users_external_id_is_short CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200))),
    CONSTRAINT users_locale_is_a_tag CHECK ((locale ~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'::text)),
    CONSTRAINT users_name_is_short CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 100))),
    CONSTRAINT users_pending_email_is_an_address CHECK (((pending_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(pending_email) <= 254))),
    CONSTRAINT users_pending_phone_is_e164 CHECK ((pending_phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT users_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT users_texts_are_short CHECK (((char_length(time_zone) <= 64) AND (char_length(locale) <= 100))),
    CONSTRAINT users_verify_what_they_have CHECK ((((phone IS NOT NULL) OR (phone_verified_at IS NULL)) AND ((email IS NOT NULL) OR (email_verified_at IS NULL))))
);

ALTER TABLE ONLY kith.users FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.users IS 'A person within one tenant. A user can be a sender, a receiver, a vault owner and a nominee at the same time.';

COMMENT ON COLUMN kith.users.external_id IS 'The tenant''s own name for the user. It is the `sub` of tokens that the tenant''s identity provider signs.';

COMMENT ON COLUMN kith.users.has_chosen_zone IS 'Whether somebody has said that time_zone is theirs. Without it, UTC is the default of an account, and not where its user lives (I07).';

COMMENT ON COLUMN kith.users.tokens_valid_from IS 'Access tokens issued before this instant are void. Signing out everywhere moves it forward.';

COMMENT ON COLUMN kith.users.phone_verified_at IS 'When a code sent to the number was entered. Null if only the tenant''s server gave the number.';

COMMENT ON COLUMN kith.users.email_verified_at IS 'When a code sent to the e-mail address was entered. Null if only the tenant''s server gave the address.';

COMMENT ON COLUMN kith.users.pending_phone IS 'The number to which the user wants to change. It becomes their phone when a code sent to it is entered.';

COMMENT ON COLUMN kith.users.pending_email IS 'The e-mail address to which the user wants to change. It becomes their e-mail address when a code sent to it is entered.';

COMMENT ON COLUMN kith.users.email_normalized IS 'The e-mail address with ASCII letters in lower case, for look-ups. lower() is not leakproof, so under a policy it would never be an index condition.';

CREATE TABLE kith.vault_keys (
    tenant_id integer NOT NULL,
    vault_id uuid NOT NULL,
    wrapped_key bytea NOT NULL,
    created_at kith.instant NOT NULL
);

ALTER TABLE ONLY kith.vault_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.vault_keys IS 'The key that seals a vault''s documents. If the row is deleted, nobody can decrypt them again.';

COMMENT ON COLUMN kith.vault_keys.wrapped_key IS 'The key, sealed with AES-256-GCM under the master key and bound to tenant and vault.';

CREATE TABLE kith.vault_sessions (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    kind text NOT NULL,
    nominee_id uuid,
    request_id uuid,
    unlocked_by uuid NOT NULL,
    opened_at kith.instant NOT NULL,
    expires_at kith.instant NOT NULL,
    maximum_at kith.instant NOT NULL,
    last_activity_at kith.instant NOT NULL,
    inside uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    locked_at kith.instant,
    locked_by uuid,
    lock_reason text,
    CONSTRAINT vault_sessions_end_by_their_maximum CHECK (((expires_at)::timestamp with time zone <= (maximum_at)::timestamp with time zone)),
    CONSTRAINT vault_sessions_kind_is_known CHECK ((kind = ANY (ARRAY['shared'::text, 'emergency'::text]))),
    CONSTRAINT vault_sessions_lock_reason_is_known CHECK ((lock_reason = ANY (ARRAY['manual'::text, 'expired'::text, 'owner_revoked'::text, 'transferred'::text, 'vault_deleted'::text, 'emergency_ended'::text]))),
    CONSTRAINT vault_sessions_locked_says_why CHECK (((locked_at IS NULL) = (lock_reason IS NULL))),
    CONSTRAINT vault_sessions_of_emergency_have_their_nominee CHECK ((((kind = 'emergency'::text) = (nominee_id IS NOT NULL)) AND ((nominee_id IS NULL) = (request_id IS NULL))))
);

ALTER TABLE ONLY kith.vault_sessions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.vault_sessions IS 'Openings of vaults. A vault has one open shared session at a time, and everyone who may enter joins it. A nominee with emergency access has a session of their own beside it.';

COMMENT ON COLUMN kith.vault_sessions.request_id IS 'The request for emergency access that the session belongs to; null for a shared session.';

COMMENT ON COLUMN kith.vault_sessions.expires_at IS 'When the session ends for everyone, whether or not locked_at is set. It is 30 minutes after the last activity, but at most maximum_at.';

COMMENT ON COLUMN kith.vault_sessions.last_activity_at IS 'The time of the last activity, to the minute: it is written at most once a minute.';

COMMENT ON COLUMN kith.vault_sessions.inside IS 'The users who have opened or entered the vault in this session, in that order. At most the owner and 1,000 nominees.';

COMMENT ON COLUMN kith.vault_sessions.locked_by IS 'The user who locked the session; null if it expired or an operator ended it.';

CREATE TABLE kith.vaults (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    require_confirmation boolean DEFAULT false NOT NULL,
    full_may_open boolean DEFAULT false NOT NULL,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    deleted_at kith.instant,
    deleted_by text,
    external_id text,
    transferred_at kith.instant,
    CONSTRAINT vaults_deleted_says_by_whom CHECK (((deleted_at IS NULL) = (deleted_by IS NULL))),
    CONSTRAINT vaults_external_id_is_short CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
    CONSTRAINT vaults_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT vaults_texts_are_short CHECK ((char_length(deleted_by) <= 300))
);

ALTER TABLE ONLY kith.vaults FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.vaults IS 'Documents of one owner, which nominees see while the vault is open. A deleted vault can be restored for 30 days (D01).';

COMMENT ON COLUMN kith.vaults.owner_id IS 'The owner. It is copied into every child row, because policies compare only columns of the row. A transfer updates the copies.';

COMMENT ON COLUMN kith.vaults.require_confirmation IS 'Whether the owner must confirm a person who accepts an invitation before they have any access (X30).';

COMMENT ON COLUMN kith.vaults.full_may_open IS 'Whether a nominee with level full may open the vault, instead of only joining an open session (V06).';

COMMENT ON COLUMN kith.vaults.deleted_by IS 'user:<id>, or operator:<login role>.';

COMMENT ON COLUMN kith.vaults.external_id IS 'The tenant''s own name for a vault that it imported (A09), so that importing it again makes no second one. Null for all others.';

COMMENT ON COLUMN kith.vaults.transferred_at IS 'When the vault last got another owner; null if never. Imports read it, because the history is not kept for ever.';

CREATE TABLE kith.webhooks (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    types text[] DEFAULT '{}'::text[] NOT NULL,
    sealed_secrets bytea NOT NULL,
    taken_xid xid8 NOT NULL,
    taken_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    taken_at kith.instant NOT NULL,
    has_news boolean DEFAULT true NOT NULL,
    batch_id uuid,
    batch_xid xid8,
    batch_until_id uuid,
    batch_is_reset boolean DEFAULT false NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at kith.instant NOT NULL,
    leased_by text,
    last_success_at kith.instant,
    last_error text,
    disabled_at kith.instant,
    disabled_reason text,
    created_at kith.instant NOT NULL,
    updated_at kith.instant NOT NULL,
    CONSTRAINT webhooks_batch_is_whole CHECK ((((batch_id IS NULL) = (batch_xid IS NULL)) AND ((batch_id IS NULL) = (batch_until_id IS NULL)))),
    CONSTRAINT webhooks_disabled_says_why CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT webhooks_texts_are_short CHECK (((char_length(last_error) <= 10000) AND (char_length(disabled_reason) <= 500) AND (cardinality(types) <= 50))),
    CONSTRAINT webhooks_url_is_https CHECK (((url ~ '^https://[^[:space:]]+$'::text) AND (char_length(url) <= 2000)))
);

ALTER TABLE ONLY kith.webhooks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE kith.webhooks IS 'Endpoints to which a tenant''s events are sent in order, one request at a time.';

COMMENT ON COLUMN kith.webhooks.types IS 'The types that the endpoint receives; empty for all.';

COMMENT ON COLUMN kith.webhooks.sealed_secrets IS 'The secrets that sign requests, sealed with AES-256-GCM under the master key and bound to tenant and id. They are JSON, [{secret, until}]; until is null for the newest one.';

COMMENT ON COLUMN kith.webhooks.taken_xid IS 'With taken_id, the position in the feed up to which the endpoint has accepted everything.';

COMMENT ON COLUMN kith.webhooks.taken_at IS 'The instant of that position. Events that are not accepted within 7 days are skipped.';

COMMENT ON COLUMN kith.webhooks.has_news IS 'Whether there may be events after that position. The reader of all tenants'' events sets it.';

COMMENT ON COLUMN kith.webhooks.batch_id IS 'The id of the current request. It stays the same until the request is accepted. The batch ends with the event (batch_xid, batch_until_id).';

COMMENT ON COLUMN kith.webhooks.batch_is_reset IS 'Whether the batch begins by reporting that events were skipped.';

COMMENT ON COLUMN kith.webhooks.next_attempt_at IS 'When a worker may send the next request. During a lease it is the end of the lease. After that, another worker may send it, because the one with the lease has died.';

COMMENT ON COLUMN kith.webhooks.leased_by IS 'The worker that is sending the request. Only its result counts.';

COMMENT ON COLUMN kith.webhooks.disabled_at IS 'When the endpoint was disabled: it answered 410 Gone, or an operator disabled it. Nothing more is sent to it.';

ALTER TABLE ONLY kith.act_counts
    ADD CONSTRAINT act_counts_pkey PRIMARY KEY (tenant_id, actor_id, act);

ALTER TABLE ONLY kith.alarm_entries
    ADD CONSTRAINT alarm_entries_pkey PRIMARY KEY (tenant_id, alarm_id, id);

ALTER TABLE ONLY kith.alarm_links
    ADD CONSTRAINT alarm_links_pkey PRIMARY KEY (tenant_id, token_hash);

ALTER TABLE ONLY kith.alarm_plan_receivers
    ADD CONSTRAINT alarm_plan_receivers_pkey PRIMARY KEY (tenant_id, user_id, connection_id);

ALTER TABLE ONLY kith.alarm_plans
    ADD CONSTRAINT alarm_plans_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.alarm_receivers
    ADD CONSTRAINT alarm_receivers_pkey PRIMARY KEY (tenant_id, alarm_id, receiver_id);

ALTER TABLE ONLY kith.alarms
    ADD CONSTRAINT alarms_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_secret_is_unique UNIQUE (tenant_id, secret_hash);

ALTER TABLE ONLY kith.asks
    ADD CONSTRAINT asks_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.audit_default
    ADD CONSTRAINT audit_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (tenant_id, user_id, blocked_id);

ALTER TABLE ONLY kith.brand_marks
    ADD CONSTRAINT brand_marks_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.breaks
    ADD CONSTRAINT breaks_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.canaries
    ADD CONSTRAINT canaries_one_of_a_kind UNIQUE (tenant_id, every_hours);

ALTER TABLE ONLY kith.canaries
    ADD CONSTRAINT canaries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.canary_answers
    ADD CONSTRAINT canary_answers_pkey PRIMARY KEY (tenant_id, alarm_id, channel);

ALTER TABLE ONLY kith.canary_arrivals
    ADD CONSTRAINT canary_arrivals_pkey PRIMARY KEY (tenant_id, canary_id, asks_at, channel);

ALTER TABLE ONLY kith.canary_channels
    ADD CONSTRAINT canary_channels_pkey PRIMARY KEY (tenant_id, channel);

ALTER TABLE ONLY kith.canary_people
    ADD CONSTRAINT canary_people_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.canary_runs
    ADD CONSTRAINT canary_runs_pkey PRIMARY KEY (tenant_id, canary_id, asks_at);

ALTER TABLE ONLY kith.card_views
    ADD CONSTRAINT card_views_pkey PRIMARY KEY (tenant_id, user_id, id);

ALTER TABLE ONLY kith.care_cards
    ADD CONSTRAINT care_cards_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.cell_directory
    ADD CONSTRAINT cell_directory_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY kith.cell_map
    ADD CONSTRAINT cell_map_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY kith.cells
    ADD CONSTRAINT cells_are_different_databases UNIQUE (cluster, database);

ALTER TABLE ONLY kith.cells
    ADD CONSTRAINT cells_pkey PRIMARY KEY (name);

ALTER TABLE ONLY kith.channel_credentials
    ADD CONSTRAINT channel_credentials_pkey PRIMARY KEY (tenant_id, channel);

ALTER TABLE ONLY kith.channel_pauses
    ADD CONSTRAINT channel_pauses_pkey PRIMARY KEY (tenant_id, channel);

ALTER TABLE ONLY kith.check_in_links
    ADD CONSTRAINT check_in_links_pkey PRIMARY KEY (tenant_id, token_hash);

ALTER TABLE ONLY kith.check_ins
    ADD CONSTRAINT check_ins_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.code_attempts
    ADD CONSTRAINT code_attempts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.connection_invitation_recipients
    ADD CONSTRAINT connection_invitation_recipients_pkey PRIMARY KEY (tenant_id, invitation_id, n);

ALTER TABLE ONLY kith.connection_invitations
    ADD CONSTRAINT connection_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_once_per_pair UNIQUE (tenant_id, sender_id, receiver_id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (tenant_id, nominee_id, owner_id);

ALTER TABLE ONLY kith.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.deliveries_default
    ADD CONSTRAINT deliveries_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.delivery_totals
    ADD CONSTRAINT delivery_totals_pkey PRIMARY KEY (channel, slot);

ALTER TABLE ONLY kith.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (tenant_id, token);

ALTER TABLE ONLY kith.disk_samples
    ADD CONSTRAINT disk_samples_pkey PRIMARY KEY (what, sampled_on);

ALTER TABLE ONLY kith.document_chunks
    ADD CONSTRAINT document_chunks_pkey PRIMARY KEY (tenant_id, version_id, n);

ALTER TABLE ONLY kith.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.emergency_delays
    ADD CONSTRAINT emergency_delays_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.emergency_quorums
    ADD CONSTRAINT emergency_quorums_pkey PRIMARY KEY (tenant_id, vault_id);

ALTER TABLE ONLY kith.emergency_requests
    ADD CONSTRAINT emergency_requests_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.emergency_settings
    ADD CONSTRAINT emergency_settings_pkey PRIMARY KEY (tenant_id, nominee_id);

ALTER TABLE ONLY kith.event_readers
    ADD CONSTRAINT event_readers_pkey PRIMARY KEY (name);

ALTER TABLE ONLY kith.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tenant_id, user_id, xid, id);

ALTER TABLE ONLY kith.events_default
    ADD CONSTRAINT events_default_pkey PRIMARY KEY (tenant_id, user_id, xid, id);

ALTER TABLE ONLY kith.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.gap_checks
    ADD CONSTRAINT gap_checks_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY kith.heartbeats
    ADD CONSTRAINT heartbeats_pkey PRIMARY KEY (component, instance);

ALTER TABLE ONLY kith.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.history_default
    ADD CONSTRAINT history_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.idempotency_key_subjects
    ADD CONSTRAINT idempotency_key_subjects_pkey PRIMARY KEY (tenant_id, subject_id, caller, key);

ALTER TABLE ONLY kith.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, caller, key);

ALTER TABLE ONLY kith.inbound_counts
    ADD CONSTRAINT inbound_counts_pkey PRIMARY KEY (tenant_id, channel, counted_on, outcome, slot);

ALTER TABLE ONLY kith.inbound_messages
    ADD CONSTRAINT inbound_messages_pkey PRIMARY KEY (tenant_id, channel, message_hash);

ALTER TABLE ONLY kith.incarnations
    ADD CONSTRAINT incarnations_pkey PRIMARY KEY (system_identifier, timeline);

ALTER TABLE ONLY kith.jwt_issuers
    ADD CONSTRAINT jwt_issuers_pkey PRIMARY KEY (tenant_id, issuer, audience);

ALTER TABLE ONLY kith.jwt_keys
    ADD CONSTRAINT jwt_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.move_marks
    ADD CONSTRAINT move_marks_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.moving_tenants
    ADD CONSTRAINT moving_tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.nominee_invitations
    ADD CONSTRAINT nominee_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.notification_preferences
    ADD CONSTRAINT notification_preferences_pkey PRIMARY KEY (tenant_id, user_id, type);

ALTER TABLE ONLY kith.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.notifications_default
    ADD CONSTRAINT notifications_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.operator_reads
    ADD CONSTRAINT operator_reads_pkey PRIMARY KEY (login, hour, statement, tenant, subject);

ALTER TABLE ONLY kith.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (login);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.otp_counts
    ADD CONSTRAINT otp_counts_pkey PRIMARY KEY (tenant_id, counted_on, scope);

ALTER TABLE ONLY kith.otp_tries
    ADD CONSTRAINT otp_tries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.outages
    ADD CONSTRAINT outages_pkey PRIMARY KEY (component, began_at);

ALTER TABLE ONLY kith.ping_gaps
    ADD CONSTRAINT ping_gaps_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.ping_runs
    ADD CONSTRAINT ping_runs_pkey PRIMARY KEY (tenant_id, time_zone, ping_on);

ALTER TABLE ONLY kith.pings
    ADD CONSTRAINT pings_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.pings_default
    ADD CONSTRAINT pings_default_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.places
    ADD CONSTRAINT places_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.quiet_hours
    ADD CONSTRAINT quiet_hours_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.raised_quotas
    ADD CONSTRAINT raised_quotas_pkey PRIMARY KEY (tenant_id, user_id, act);

ALTER TABLE ONLY kith.receiver_profiles
    ADD CONSTRAINT receiver_profiles_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_secret_is_unique UNIQUE (tenant_id, secret_hash);

ALTER TABLE ONLY kith.retention_cuts
    ADD CONSTRAINT retention_cuts_pkey PRIMARY KEY (tenant_id, kind);

ALTER TABLE ONLY kith.retention_passes
    ADD CONSTRAINT retention_passes_pkey PRIMARY KEY (tenant_id, kind);

ALTER TABLE ONLY kith.sender_profiles
    ADD CONSTRAINT sender_profiles_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.set_aside
    ADD CONSTRAINT set_aside_pkey PRIMARY KEY (tenant_id, loop, key);

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_pkey PRIMARY KEY (tenant_id, share_id, participant_id);

ALTER TABLE ONLY kith.shared_issuers
    ADD CONSTRAINT shared_issuers_pkey PRIMARY KEY (issuer);

ALTER TABLE ONLY kith.shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.signs_of_life
    ADD CONSTRAINT signs_of_life_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.signs
    ADD CONSTRAINT signs_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.signs
    ADD CONSTRAINT signs_token_hash_key UNIQUE (tenant_id, token_hash);

ALTER TABLE ONLY kith.suspensions
    ADD CONSTRAINT suspensions_pkey PRIMARY KEY (tenant_id, began_at);

ALTER TABLE ONLY kith.tenant_cells
    ADD CONSTRAINT tenant_cells_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenant_cells
    ADD CONSTRAINT tenant_cells_slug_is_one_tenants UNIQUE (slug);

ALTER TABLE ONLY kith.tenant_imports
    ADD CONSTRAINT tenant_imports_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenant_moves
    ADD CONSTRAINT tenant_moves_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenant_purges
    ADD CONSTRAINT tenant_purges_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenant_sizes
    ADD CONSTRAINT tenant_sizes_pkey PRIMARY KEY (tenant_id, sampled_on);

ALTER TABLE ONLY kith.tenant_texts
    ADD CONSTRAINT tenant_texts_pkey PRIMARY KEY (tenant_id, locale, key);

ALTER TABLE ONLY kith.tenant_usage
    ADD CONSTRAINT tenant_usage_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenants
    ADD CONSTRAINT tenants_slug_is_unique UNIQUE (slug);

ALTER TABLE ONLY kith.text_invitations
    ADD CONSTRAINT text_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.text_numbers
    ADD CONSTRAINT text_numbers_pkey PRIMARY KEY (tenant_id, phone);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.transfer_invitations
    ADD CONSTRAINT transfer_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.undelivered_alarms
    ADD CONSTRAINT undelivered_alarms_pkey PRIMARY KEY (tenant_id, notification_id);

ALTER TABLE ONLY kith.unique_codes
    ADD CONSTRAINT unique_codes_pkey PRIMARY KEY (tenant_id, code);

ALTER TABLE ONLY kith.usage_hours
    ADD CONSTRAINT usage_hours_pkey PRIMARY KEY (tenant_id, hour, caller);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_external_id_is_unique UNIQUE (tenant_id, external_id);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.vault_keys
    ADD CONSTRAINT vault_keys_pkey PRIMARY KEY (tenant_id, vault_id);

ALTER TABLE ONLY kith.vault_sessions
    ADD CONSTRAINT vault_sessions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.vaults
    ADD CONSTRAINT vaults_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (tenant_id, id);

CREATE INDEX alarm_entries_of_user ON kith.alarm_entries USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX alarm_links_by_age ON kith.alarm_links USING btree (created_at);

CREATE INDEX alarm_links_of_receiver ON kith.alarm_links USING btree (tenant_id, receiver_id);

CREATE INDEX alarm_receivers_of_receiver ON kith.alarm_receivers USING btree (tenant_id, receiver_id, alarm_id);

CREATE INDEX alarms_awaiting_check_in ON kith.alarms USING btree (tenant_id, sender_id) WHERE awaits_check_in;

CREATE INDEX alarms_by_end ON kith.alarms USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);

CREATE INDEX alarms_of_sender ON kith.alarms USING btree (tenant_id, sender_id, id);

CREATE INDEX alarms_of_tenant_to_tell ON kith.alarms USING btree (tenant_id, next_at) WHERE (next_at IS NOT NULL);

CREATE UNIQUE INDEX alarms_one_drill ON kith.alarms USING btree (tenant_id, sender_id) WHERE ((resolved_at IS NULL) AND (kind = 'drill'::text));

CREATE UNIQUE INDEX alarms_one_unresolved ON kith.alarms USING btree (tenant_id, sender_id) WHERE ((resolved_at IS NULL) AND (kind <> 'drill'::text));

CREATE INDEX alarms_to_tell ON kith.alarms USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX api_keys_by_hash ON kith.api_keys USING btree (secret_hash);

CREATE INDEX asks_by_end ON kith.asks USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX asks_of_connection ON kith.asks USING btree (tenant_id, connection_id, asked_at);

CREATE INDEX asks_of_tenant_to_end ON kith.asks USING btree (tenant_id, answer_by) WHERE (ended_at IS NULL);

CREATE UNIQUE INDEX asks_one_open ON kith.asks USING btree (tenant_id, sender_id, receiver_id) WHERE (ended_at IS NULL);

CREATE INDEX asks_to_end ON kith.asks USING btree (answer_by) WHERE (ended_at IS NULL);

CREATE INDEX audit_by_id ON ONLY kith.audit USING btree (id);

CREATE INDEX audit_default_id_idx ON kith.audit_default USING btree (id);

CREATE INDEX audit_of_subject ON ONLY kith.audit USING btree (tenant_id, subject);

CREATE INDEX audit_default_tenant_id_subject_idx ON kith.audit_default USING btree (tenant_id, subject);

CREATE INDEX blocks_of_blocked ON kith.blocks USING btree (tenant_id, blocked_id);

CREATE INDEX breaks_of_user ON kith.breaks USING btree (tenant_id, user_id, from_on);

CREATE UNIQUE INDEX breaks_one_open_break ON kith.breaks USING btree (tenant_id, user_id) WHERE (ended_at IS NULL);

CREATE INDEX breaks_to_begin ON kith.breaks USING btree (starts_at) WHERE ((ended_at IS NULL) AND ((told_until_on)::date IS DISTINCT FROM (until_on)::date));

CREATE INDEX breaks_to_end ON kith.breaks USING btree (ends_at) WHERE (ended_at IS NULL);

CREATE INDEX canary_answers_by_age ON kith.canary_answers USING btree (at);

CREATE INDEX canary_arrivals_of_channel ON kith.canary_arrivals USING btree (tenant_id, channel, asks_at);

CREATE INDEX canary_channels_of_canary ON kith.canary_channels USING btree (tenant_id, canary_id);

CREATE INDEX canary_channels_of_webhook ON kith.canary_channels USING btree (tenant_id, webhook_id) WHERE (webhook_id IS NOT NULL);

CREATE INDEX canary_people_of_canary ON kith.canary_people USING btree (tenant_id, canary_id) WHERE (canary_id IS NOT NULL);

CREATE INDEX canary_runs_by_age ON kith.canary_runs USING btree (asks_at);

CREATE INDEX canary_runs_under_way ON kith.canary_runs USING btree (tenant_id, sender_id) WHERE (ended_at IS NULL);

CREATE INDEX card_views_by_age ON kith.card_views USING btree (at);

CREATE UNIQUE INDEX cells_have_one_directory ON kith.cells USING btree (((address IS NULL))) WHERE (address IS NULL);

CREATE INDEX check_in_links_by_age ON kith.check_in_links USING btree (created_at);

CREATE INDEX check_in_links_of_user ON kith.check_in_links USING btree (tenant_id, user_id);

CREATE INDEX check_ins_of_user ON kith.check_ins USING btree (tenant_id, user_id, received_at DESC);

CREATE INDEX check_ins_tapped ON kith.check_ins USING btree (tenant_id, user_id, tapped_at DESC) WHERE (tapped_at IS NOT NULL);

CREATE INDEX code_attempts_by_age ON kith.code_attempts USING btree (attempted_at);

CREATE INDEX code_attempts_missed ON kith.code_attempts USING btree (tenant_id, attempted_at) WHERE (outcome = 'missed'::text);

CREATE INDEX code_attempts_of_user ON kith.code_attempts USING btree (tenant_id, user_id, attempted_at) INCLUDE (outcome);

CREATE INDEX connection_invitation_recipients_of_delivery ON kith.connection_invitation_recipients USING btree (tenant_id, delivery_id) WHERE (delivery_id IS NOT NULL);

CREATE INDEX connection_invitation_recipients_of_phone ON kith.connection_invitation_recipients USING btree (tenant_id, phone, user_id, invitation_id) WHERE (phone IS NOT NULL);

CREATE INDEX connection_invitations_by_age ON kith.connection_invitations USING btree (created_at);

CREATE INDEX connection_invitations_of_user ON kith.connection_invitations USING btree (tenant_id, user_id, id);

CREATE INDEX connections_awaiting_consent ON kith.connections USING btree (tenant_id, code_owner_id, id) WHERE (status = 'pending'::text);

CREATE INDEX connections_of_receiver ON kith.connections USING btree (tenant_id, receiver_id, sender_id);

CREATE INDEX connections_to_ping ON kith.connections USING btree (tenant_id, sender_id) INCLUDE (id, receiver_id) WHERE ((status = ANY (ARRAY['active'::text, 'pending'::text])) AND (pings_stopped_at IS NULL));

CREATE INDEX conversations_of_nominee ON kith.conversations USING btree (tenant_id, nominee_user_id, last_message_id);

CREATE INDEX conversations_of_owner ON kith.conversations USING btree (tenant_id, owner_id, last_message_id);

CREATE INDEX conversations_unread_by_nominee ON kith.conversations USING btree (tenant_id, nominee_user_id, vault_id) WHERE (nominee_unread > 0);

CREATE INDEX conversations_unread_by_owner ON kith.conversations USING btree (tenant_id, owner_id, vault_id) WHERE (owner_unread > 0);

CREATE INDEX deliveries_left ON ONLY kith.deliveries USING btree (channel, next_attempt_at) WHERE ((status = ANY (ARRAY['queued'::text, 'sending'::text])) AND (attempts >= 0));

CREATE INDEX deliveries_default_channel_next_attempt_at_idx ON kith.deliveries_default USING btree (channel, next_attempt_at) WHERE ((status = ANY (ARRAY['queued'::text, 'sending'::text])) AND (attempts >= 0));

CREATE INDEX deliveries_to_claim ON ONLY kith.deliveries USING btree (channel, tenant_id, is_urgent, next_attempt_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_default_channel_tenant_id_is_urgent_next_attempt_idx ON kith.deliveries_default USING btree (channel, tenant_id, is_urgent, next_attempt_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_expiring ON ONLY kith.deliveries USING btree (expires_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_default_expires_at_idx ON kith.deliveries_default USING btree (expires_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_unanswered ON ONLY kith.deliveries USING btree (leased_until) WHERE ((status = 'sending'::text) AND (unanswered >= 5));

CREATE INDEX deliveries_default_leased_until_idx ON kith.deliveries_default USING btree (leased_until) WHERE ((status = 'sending'::text) AND (unanswered >= 5));

CREATE INDEX deliveries_of_texts ON ONLY kith.deliveries USING btree (tenant_id, address, id) WHERE ((channel = 'sms'::text) AND (purpose = 'notification'::text) AND (NOT is_urgent) AND (status <> 'dropped'::text));

CREATE INDEX deliveries_default_tenant_id_address_id_idx ON kith.deliveries_default USING btree (tenant_id, address, id) WHERE ((channel = 'sms'::text) AND (purpose = 'notification'::text) AND (NOT is_urgent) AND (status <> 'dropped'::text));

CREATE INDEX deliveries_of_answers ON ONLY kith.deliveries USING btree (tenant_id, address) WHERE (purpose = 'answer'::text);

CREATE INDEX deliveries_default_tenant_id_address_idx ON kith.deliveries_default USING btree (tenant_id, address) WHERE (purpose = 'answer'::text);

CREATE INDEX deliveries_failed ON ONLY kith.deliveries USING btree (tenant_id, channel, id) WHERE (status = 'failed'::text);

CREATE INDEX deliveries_default_tenant_id_channel_id_idx ON kith.deliveries_default USING btree (tenant_id, channel, id) WHERE (status = 'failed'::text);

CREATE INDEX deliveries_of_notification ON ONLY kith.deliveries USING btree (tenant_id, notification_id) WHERE (notification_id IS NOT NULL);

CREATE INDEX deliveries_default_tenant_id_notification_id_idx ON kith.deliveries_default USING btree (tenant_id, notification_id) WHERE (notification_id IS NOT NULL);

CREATE INDEX devices_of_user ON kith.devices USING btree (tenant_id, user_id, last_seen_at);

CREATE INDEX document_versions_of_document ON kith.document_versions USING btree (tenant_id, document_id);

CREATE INDEX document_versions_of_vault ON kith.document_versions USING btree (tenant_id, vault_id);

CREATE INDEX document_versions_to_sweep ON kith.document_versions USING btree ((
CASE
    WHEN (ended_at IS NULL) THEN created_at
    ELSE ended_at
END)) WHERE (state <> 'current'::text);

CREATE INDEX documents_deleted ON kith.documents USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX documents_live ON kith.documents USING btree (tenant_id, vault_id) WHERE (deleted_at IS NULL);

CREATE INDEX documents_of_vault ON kith.documents USING btree (tenant_id, vault_id, id);

CREATE INDEX drafts_by_end ON kith.drafts USING btree (expires_at);

CREATE INDEX emergency_delays_of_request ON kith.emergency_delays USING btree (tenant_id, request_id, id);

CREATE INDEX emergency_requests_of_nominee ON kith.emergency_requests USING btree (tenant_id, nominee_id, id);

CREATE INDEX emergency_requests_of_vault ON kith.emergency_requests USING btree (tenant_id, vault_id, id);

CREATE UNIQUE INDEX emergency_requests_one_open ON kith.emergency_requests USING btree (tenant_id, nominee_id, cause) WHERE (ended_at IS NULL);

CREATE INDEX emergency_requests_open_of_owner ON kith.emergency_requests USING btree (tenant_id, owner_id) WHERE (ended_at IS NULL);

CREATE INDEX emergency_requests_open_of_user ON kith.emergency_requests USING btree (tenant_id, user_id) WHERE (ended_at IS NULL);

CREATE INDEX emergency_requests_open_of_vault ON kith.emergency_requests USING btree (tenant_id, vault_id) WHERE (ended_at IS NULL);

CREATE INDEX emergency_requests_to_settle ON kith.emergency_requests USING btree (counted_to) WHERE ((ended_at IS NULL) AND (counted_to IS NOT NULL));

CREATE INDEX emergency_requests_to_sweep ON kith.emergency_requests USING btree (tenant_id, ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX emergency_requests_to_tell ON kith.emergency_requests USING btree (notice_at) WHERE (ended_at IS NULL);

CREATE INDEX emergency_settings_of_any_use ON kith.emergency_settings USING btree (tenant_id, owner_id) WHERE ((sign_of_life = 'any_use'::text) AND (ended_at IS NULL));

CREATE INDEX emergency_settings_of_silence ON kith.emergency_settings USING btree (tenant_id, owner_id) WHERE ((after_missed_days IS NOT NULL) AND (ended_at IS NULL));

CREATE INDEX emergency_settings_of_vault ON kith.emergency_settings USING btree (tenant_id, vault_id);

CREATE INDEX events_in_order ON ONLY kith.events USING btree (xid, id, tenant_id);

CREATE INDEX events_default_xid_id_tenant_id_idx ON kith.events_default USING btree (xid, id, tenant_id);

CREATE INDEX feedback_of_user ON kith.feedback USING btree (tenant_id, user_id, id);

CREATE INDEX history_of_vault_by_action ON ONLY kith.history USING btree (tenant_id, vault_id, action, id);

CREATE INDEX history_default_tenant_id_vault_id_action_id_idx ON kith.history_default USING btree (tenant_id, vault_id, action, id);

CREATE INDEX history_of_vault ON ONLY kith.history USING btree (tenant_id, vault_id, id);

CREATE INDEX history_default_tenant_id_vault_id_id_idx ON kith.history_default USING btree (tenant_id, vault_id, id);

CREATE INDEX idempotency_key_subjects_of_key ON kith.idempotency_key_subjects USING btree (tenant_id, caller, key);

CREATE INDEX idempotency_keys_by_end ON kith.idempotency_keys USING btree (expires_at);

CREATE INDEX inbound_counts_by_age ON kith.inbound_counts USING btree (counted_on);

CREATE INDEX inbound_messages_by_age ON kith.inbound_messages USING btree (received_at);

CREATE UNIQUE INDEX jwt_issuers_are_one_tenants ON kith.jwt_issuers USING btree (issuer, audience);

CREATE INDEX jwt_keys_by_kid ON kith.jwt_keys USING btree (kid, issuer, audience) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX jwt_keys_kid_is_unique ON kith.jwt_keys USING btree (tenant_id, kid, issuer, audience) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX jwt_keys_one_own_key ON kith.jwt_keys USING btree (tenant_id) WHERE (own AND (revoked_at IS NULL));

CREATE INDEX messages_of_nominee ON kith.messages USING btree (tenant_id, nominee_id, id);

CREATE INDEX messages_of_sender ON kith.messages USING btree (tenant_id, from_id, id);

CREATE INDEX messages_unread ON kith.messages USING btree (tenant_id, nominee_id, from_id) WHERE (read_at IS NULL);

CREATE INDEX moving_tenants_by_departure ON kith.moving_tenants USING btree (left_version) WHERE (left_version IS NOT NULL);

CREATE INDEX nominee_invitations_by_end ON kith.nominee_invitations USING btree ((
CASE
    WHEN (ended_at IS NULL) THEN expires_at
    ELSE ended_at
END));

CREATE INDEX nominee_invitations_by_hash ON kith.nominee_invitations USING btree (token_hash);

CREATE INDEX nominee_invitations_of_nominee ON kith.nominee_invitations USING btree (tenant_id, nominee_id, id);

CREATE INDEX nominee_invitations_of_owner ON kith.nominee_invitations USING btree (tenant_id, owner_id, id);

CREATE UNIQUE INDEX nominee_invitations_one_live ON kith.nominee_invitations USING btree (tenant_id, nominee_id) WHERE (ended_at IS NULL);

CREATE INDEX nominees_by_status ON kith.nominees USING btree (tenant_id, vault_id, status) WHERE (status <> 'revoked'::text);

CREATE UNIQUE INDEX nominees_external_id_is_unique ON kith.nominees USING btree (tenant_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX nominees_live_once_per_participant ON kith.nominees USING btree (tenant_id, vault_id, share_participant_id) WHERE ((status <> 'revoked'::text) AND (share_participant_id IS NOT NULL));

CREATE UNIQUE INDEX nominees_live_once_per_user ON kith.nominees USING btree (tenant_id, vault_id, user_id) WHERE ((status <> 'revoked'::text) AND (user_id IS NOT NULL));

CREATE INDEX nominees_of_email ON kith.nominees USING btree (tenant_id, email_normalized) WHERE (email_normalized IS NOT NULL);

CREATE INDEX nominees_of_inviter ON kith.nominees USING btree (tenant_id, invited_by_user_id, id) WHERE (share_participant_id IS NULL);

CREATE INDEX nominees_of_owner ON kith.nominees USING btree (tenant_id, owner_id);

CREATE INDEX nominees_of_phone ON kith.nominees USING btree (tenant_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX nominees_of_user ON kith.nominees USING btree (tenant_id, user_id, vault_id) WHERE (user_id IS NOT NULL);

CREATE INDEX nominees_of_vault ON kith.nominees USING btree (tenant_id, vault_id, id);

CREATE INDEX nominees_to_confirm ON kith.nominees USING btree (tenant_id, owner_id, id) WHERE needs_confirmation;

CREATE INDEX nominees_waiting_of_email ON kith.nominees USING btree (tenant_id, email_normalized, id) WHERE ((email_normalized IS NOT NULL) AND (user_id IS NULL) AND (status <> 'revoked'::text));

CREATE INDEX nominees_waiting_of_phone ON kith.nominees USING btree (tenant_id, phone, id) WHERE ((phone IS NOT NULL) AND (user_id IS NULL) AND (status <> 'revoked'::text));

CREATE INDEX notifications_unplanned ON ONLY kith.notifications USING btree ((
CASE
    WHEN (deliver_at IS NULL) THEN created_at
    ELSE deliver_at
END), id) WHERE ((planned_at IS NULL) AND (NOT (type = ANY (ARRAY['ping_missed'::text, 'ping_all_clear'::text, 'help_requested'::text, 'alarm_repeat'::text, 'alarm_reopened'::text, 'alarm_taken'::text, 'alarm_check'::text, 'alarm_resolved'::text, 'ask'::text, 'ask_unanswered'::text]))));

CREATE INDEX notifications_default_deliver_at_id_idx ON kith.notifications_default USING btree ((
CASE
    WHEN (deliver_at IS NULL) THEN created_at
    ELSE deliver_at
END), id) WHERE ((planned_at IS NULL) AND (NOT (type = ANY (ARRAY['ping_missed'::text, 'ping_all_clear'::text, 'help_requested'::text, 'alarm_repeat'::text, 'alarm_reopened'::text, 'alarm_taken'::text, 'alarm_check'::text, 'alarm_resolved'::text, 'ask'::text, 'ask_unanswered'::text]))));

CREATE INDEX notifications_urgent ON ONLY kith.notifications USING btree (tenant_id, (
CASE
    WHEN (deliver_at IS NULL) THEN created_at
    ELSE deliver_at
END), id) WHERE ((planned_at IS NULL) AND (type = ANY (ARRAY['ping_missed'::text, 'ping_all_clear'::text, 'help_requested'::text, 'alarm_repeat'::text, 'alarm_reopened'::text, 'alarm_taken'::text, 'alarm_check'::text, 'alarm_resolved'::text, 'ask'::text, 'ask_unanswered'::text])));

CREATE INDEX notifications_default_tenant_id_deliver_at_id_idx ON kith.notifications_default USING btree (tenant_id, (
CASE
    WHEN (deliver_at IS NULL) THEN created_at
    ELSE deliver_at
END), id) WHERE ((planned_at IS NULL) AND (type = ANY (ARRAY['ping_missed'::text, 'ping_all_clear'::text, 'help_requested'::text, 'alarm_repeat'::text, 'alarm_reopened'::text, 'alarm_taken'::text, 'alarm_check'::text, 'alarm_resolved'::text, 'ask'::text, 'ask_unanswered'::text])));

CREATE INDEX notifications_to_escalate ON ONLY kith.notifications USING btree (tenant_id, escalates_at) WHERE (escalates_at IS NOT NULL);

CREATE INDEX notifications_default_tenant_id_escalates_at_idx ON kith.notifications_default USING btree (tenant_id, escalates_at) WHERE (escalates_at IS NOT NULL);

CREATE INDEX notifications_naming ON ONLY kith.notifications USING btree (tenant_id, person_id) WHERE (person_id IS NOT NULL);

CREATE INDEX notifications_default_tenant_id_person_id_idx ON kith.notifications_default USING btree (tenant_id, person_id) WHERE (person_id IS NOT NULL);

CREATE INDEX notifications_of_alarm ON ONLY kith.notifications USING btree (tenant_id, user_id, (((data)::jsonb ->> 'alarm_id'::text)), id) WHERE ((data)::jsonb ? 'alarm_id'::text);

CREATE INDEX notifications_default_tenant_id_user_id_expr_id_idx ON kith.notifications_default USING btree (tenant_id, user_id, (((data)::jsonb ->> 'alarm_id'::text)), id) WHERE ((data)::jsonb ? 'alarm_id'::text);

CREATE INDEX notifications_of_user ON ONLY kith.notifications USING btree (tenant_id, user_id, id);

CREATE INDEX notifications_default_tenant_id_user_id_id_idx ON kith.notifications_default USING btree (tenant_id, user_id, id);

CREATE INDEX notifications_unread ON ONLY kith.notifications USING btree (tenant_id, user_id, id) WHERE (read_at IS NULL);

CREATE INDEX notifications_default_tenant_id_user_id_id_idx1 ON kith.notifications_default USING btree (tenant_id, user_id, id) WHERE (read_at IS NULL);

CREATE INDEX notifications_of_vault ON ONLY kith.notifications USING btree (tenant_id, vault_id) WHERE (vault_id IS NOT NULL);

CREATE INDEX notifications_default_tenant_id_vault_id_idx ON kith.notifications_default USING btree (tenant_id, vault_id) WHERE (vault_id IS NOT NULL);

CREATE INDEX notifications_in_order ON ONLY kith.notifications USING btree (xid, id, tenant_id) WHERE (xid IS NOT NULL);

CREATE INDEX notifications_default_xid_id_tenant_id_idx ON kith.notifications_default USING btree (xid, id, tenant_id) WHERE (xid IS NOT NULL);

CREATE INDEX operator_reads_by_hour ON kith.operator_reads USING btree (hour);

CREATE INDEX otp_codes_by_age ON kith.otp_codes USING btree (created_at);

CREATE INDEX otp_codes_hashed_by_age ON kith.otp_codes USING btree (created_at) WHERE address_is_hashed;

CREATE INDEX otp_codes_of_address ON kith.otp_codes USING btree (tenant_id, address, created_at);

CREATE INDEX otp_codes_of_user ON kith.otp_codes USING btree (tenant_id, user_id, created_at) WHERE (user_id IS NOT NULL);

CREATE INDEX otp_counts_by_day ON kith.otp_counts USING btree (counted_on);

CREATE INDEX otp_tries_by_age ON kith.otp_tries USING btree (tried_at);

CREATE INDEX otp_tries_of_address ON kith.otp_tries USING btree (tenant_id, address, tried_at);

CREATE UNIQUE INDEX outages_one_open ON kith.outages USING btree (component) WHERE (ended_at IS NULL);

CREATE INDEX ping_gaps_by_time ON kith.ping_gaps USING btree (found_at);

CREATE INDEX ping_runs_by_start ON kith.ping_runs USING btree (starts_at);

CREATE INDEX ping_runs_of_tenant_to_do ON kith.ping_runs USING btree (tenant_id, starts_at) WHERE (finished_at IS NULL);

CREATE INDEX ping_runs_that_skipped ON kith.ping_runs USING btree (starts_at) WHERE (skipped > 0);

CREATE INDEX ping_runs_to_do ON kith.ping_runs USING btree (starts_at, tenant_id, time_zone, ping_on) WHERE (finished_at IS NULL);

CREATE INDEX pings_to_miss ON ONLY kith.pings USING btree ((
CASE
    WHEN (judge_at IS NULL) THEN deadline_at
    ELSE judge_at
END), tenant_id, sender_id) WHERE (status = 'due'::text);

CREATE INDEX pings_default_judge_at_tenant_id_sender_id_idx ON kith.pings_default USING btree ((
CASE
    WHEN (judge_at IS NULL) THEN deadline_at
    ELSE judge_at
END), tenant_id, sender_id) WHERE (status = 'due'::text);

CREATE INDEX pings_to_remind ON ONLY kith.pings USING btree (remind_at, tenant_id, sender_id) WHERE ((status = 'due'::text) AND (remind_at IS NOT NULL));

CREATE INDEX pings_default_remind_at_tenant_id_sender_id_idx ON kith.pings_default USING btree (remind_at, tenant_id, sender_id) WHERE ((status = 'due'::text) AND (remind_at IS NOT NULL));

CREATE INDEX pings_to_announce ON ONLY kith.pings USING btree (scheduled_at, tenant_id, sender_id) WHERE (status = 'scheduled'::text);

CREATE INDEX pings_default_scheduled_at_tenant_id_sender_id_idx ON kith.pings_default USING btree (scheduled_at, tenant_id, sender_id) WHERE (status = 'scheduled'::text);

CREATE INDEX pings_of_sender ON ONLY kith.pings USING btree (tenant_id, ping_on, sender_id);

CREATE INDEX pings_default_tenant_id_ping_on_sender_id_idx ON kith.pings_default USING btree (tenant_id, ping_on, sender_id);

CREATE INDEX pings_with_note ON ONLY kith.pings USING btree (tenant_id, sender_id, connection_id) WHERE (note IS NOT NULL);

CREATE INDEX pings_default_tenant_id_sender_id_connection_id_idx ON kith.pings_default USING btree (tenant_id, sender_id, connection_id) WHERE (note IS NOT NULL);

CREATE INDEX pings_missed ON ONLY kith.pings USING btree (tenant_id, sender_id, deadline_at) WHERE (status = 'missed'::text);

CREATE INDEX pings_default_tenant_id_sender_id_deadline_at_idx ON kith.pings_default USING btree (tenant_id, sender_id, deadline_at) WHERE (status = 'missed'::text);

CREATE INDEX places_by_age ON kith.places USING btree (received_at);

CREATE INDEX receiver_profiles_lapsed ON kith.receiver_profiles USING btree (tenant_id) WHERE (pings_stop_at IS NOT NULL);

CREATE INDEX receiver_profiles_to_lapse ON kith.receiver_profiles USING btree (tenant_id, good_until) WHERE ((good_until IS NOT NULL) AND (pings_stop_at IS NULL));

CREATE INDEX receiver_profiles_to_stop ON kith.receiver_profiles USING btree (pings_stop_at) WHERE ((pings_stop_at IS NOT NULL) AND (pings_stopped_at IS NULL));

CREATE INDEX refresh_tokens_by_end ON kith.refresh_tokens USING btree (expires_at);

CREATE INDEX refresh_tokens_by_hash ON kith.refresh_tokens USING btree (secret_hash);

CREATE INDEX refresh_tokens_of_family ON kith.refresh_tokens USING btree (tenant_id, family_id);

CREATE INDEX retention_passes_to_do ON kith.retention_passes USING btree (kind, tenant_id) WHERE (finished_at IS NULL);

CREATE INDEX sender_profiles_by_zone ON kith.sender_profiles USING btree (tenant_id, time_zone, user_id) INCLUDE (ping_time, grace_minutes, reminder_minutes, first_reminder_minutes, break_from_on, break_until_on);

CREATE INDEX sender_profiles_unaskable ON kith.sender_profiles USING btree (tenant_id, user_id) WHERE (unaskable_since IS NOT NULL);

CREATE INDEX set_aside_to_report ON kith.set_aside USING btree (first_at) WHERE (reported_at IS NULL);

CREATE INDEX share_participants_of_nominee ON kith.share_participants USING btree (tenant_id, nominee_id);

CREATE INDEX shares_of_owner ON kith.shares USING btree (tenant_id, owner_id, id);

CREATE INDEX shares_of_vault ON kith.shares USING btree (tenant_id, vault_id);

CREATE UNIQUE INDEX shares_one_live_per_vault ON kith.shares USING btree (tenant_id, vault_id) WHERE (ended_at IS NULL);

CREATE INDEX signs_of_life_to_recount ON kith.signs_of_life USING btree (recount_at) WHERE (recount_at IS NOT NULL);

CREATE INDEX signs_of_user ON kith.signs USING btree (tenant_id, user_id);

CREATE INDEX tenant_cells_by_cell ON kith.tenant_cells USING btree (cell);

CREATE INDEX tenant_cells_by_version ON kith.tenant_cells USING btree (version);

CREATE INDEX tenant_sizes_by_date ON kith.tenant_sizes USING btree (sampled_on);

CREATE INDEX tenants_by_origin ON kith.tenants USING gin (allowed_origins);

CREATE UNIQUE INDEX tenants_host_is_one_tenants ON kith.tenants USING btree (universal_link_host);

CREATE INDEX text_invitations_by_age ON kith.text_invitations USING btree (sent_at);

CREATE INDEX text_invitations_of_address ON kith.text_invitations USING btree (tenant_id, address, sent_at);

CREATE INDEX text_numbers_idle ON kith.text_numbers USING btree (updated_at) WHERE (stopped_at IS NULL);

CREATE INDEX token_families_by_end ON kith.token_families USING btree (expires_at);

CREATE INDEX token_families_of_user ON kith.token_families USING btree (tenant_id, user_id) WHERE (ended_at IS NULL);

CREATE INDEX transfer_invitations_by_hash ON kith.transfer_invitations USING btree (token_hash);

CREATE INDEX transfer_invitations_of_owner ON kith.transfer_invitations USING btree (tenant_id, owner_id, id);

CREATE INDEX transfer_invitations_of_transfer ON kith.transfer_invitations USING btree (tenant_id, transfer_id, id);

CREATE UNIQUE INDEX transfer_invitations_one_live ON kith.transfer_invitations USING btree (tenant_id, transfer_id) WHERE (replaced_at IS NULL);

CREATE INDEX transfers_by_end ON kith.transfers USING btree ((
CASE
    WHEN (ended_at IS NULL) THEN expires_at
    ELSE ended_at
END));

CREATE INDEX transfers_of_email ON kith.transfers USING btree (tenant_id, email_normalized) WHERE (email_normalized IS NOT NULL);

CREATE INDEX transfers_of_owner ON kith.transfers USING btree (tenant_id, owner_id);

CREATE INDEX transfers_of_phone ON kith.transfers USING btree (tenant_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX transfers_of_recipient ON kith.transfers USING btree (tenant_id, accepted_by) WHERE (accepted_by IS NOT NULL);

CREATE UNIQUE INDEX transfers_one_pending ON kith.transfers USING btree (tenant_id, vault_id) WHERE (status = 'pending'::text);

CREATE INDEX transfers_waiting_of_email ON kith.transfers USING btree (tenant_id, email_normalized, id) WHERE ((email_normalized IS NOT NULL) AND (status = 'pending'::text));

CREATE INDEX transfers_waiting_of_phone ON kith.transfers USING btree (tenant_id, phone, id) WHERE ((phone IS NOT NULL) AND (status = 'pending'::text));

CREATE INDEX undelivered_alarms_by_age ON kith.undelivered_alarms USING btree (at) WHERE (resolved_at IS NOT NULL);

CREATE INDEX undelivered_alarms_of_user ON kith.undelivered_alarms USING btree (tenant_id, user_id);

CREATE INDEX undelivered_alarms_open ON kith.undelivered_alarms USING btree (at) WHERE (resolved_at IS NULL);

CREATE INDEX undelivered_alarms_that_stall ON kith.undelivered_alarms USING btree (at) WHERE ((resolved_at IS NULL) AND (type = ANY (ARRAY['emergency_requested'::text, 'emergency_reminder'::text])));

CREATE INDEX undelivered_alarms_to_examine ON kith.undelivered_alarms USING btree (examine_at) WHERE (resolved_at IS NULL);

CREATE INDEX undelivered_alarms_to_hand_over ON kith.undelivered_alarms USING btree (at) WHERE ((resolved_at IS NULL) AND (webhook_told_at IS NULL) AND (operators_at IS NULL));

CREATE INDEX unique_codes_of_user ON kith.unique_codes USING btree (tenant_id, user_id);

CREATE UNIQUE INDEX unique_codes_one_permanent_code ON kith.unique_codes USING btree (tenant_id, user_id, role) WHERE (permanent AND (rotated_at IS NULL));

CREATE INDEX usage_hours_by_hour ON kith.usage_hours USING btree (hour);

CREATE INDEX users_of_email ON kith.users USING btree (tenant_id, email_normalized, created_at) WHERE ((email IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX users_of_phone ON kith.users USING btree (tenant_id, phone, created_at) WHERE ((phone IS NOT NULL) AND (deleted_at IS NULL));

CREATE UNIQUE INDEX users_verified_email_is_unique ON kith.users USING btree (tenant_id, email_normalized) WHERE ((email_verified_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE UNIQUE INDEX users_verified_phone_is_unique ON kith.users USING btree (tenant_id, phone) WHERE ((phone_verified_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX vault_keys_by_age ON kith.vault_keys USING btree (created_at);

CREATE INDEX vault_sessions_expiring ON kith.vault_sessions USING btree (expires_at) WHERE (locked_at IS NULL);

CREATE INDEX vault_sessions_of_vault ON kith.vault_sessions USING btree (tenant_id, vault_id, id);

CREATE UNIQUE INDEX vault_sessions_one_open_emergency ON kith.vault_sessions USING btree (tenant_id, nominee_id) WHERE ((kind = 'emergency'::text) AND (locked_at IS NULL));

CREATE UNIQUE INDEX vault_sessions_one_open_shared ON kith.vault_sessions USING btree (tenant_id, vault_id) WHERE ((kind = 'shared'::text) AND (locked_at IS NULL));

CREATE INDEX vault_sessions_open_emergencies ON kith.vault_sessions USING btree (tenant_id, vault_id) WHERE ((kind = 'emergency'::text) AND (locked_at IS NULL));

CREATE INDEX vaults_deleted ON kith.vaults USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX vaults_external_id_is_unique ON kith.vaults USING btree (tenant_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX vaults_of_owner ON kith.vaults USING btree (tenant_id, owner_id, id);

CREATE INDEX webhooks_to_call ON kith.webhooks USING btree (next_attempt_at) WHERE (has_news AND (disabled_at IS NULL));

ALTER INDEX kith.audit_by_id ATTACH PARTITION kith.audit_default_id_idx;

ALTER INDEX kith.audit_pkey ATTACH PARTITION kith.audit_default_pkey;

ALTER INDEX kith.audit_of_subject ATTACH PARTITION kith.audit_default_tenant_id_subject_idx;

ALTER INDEX kith.deliveries_left ATTACH PARTITION kith.deliveries_default_channel_next_attempt_at_idx;

ALTER INDEX kith.deliveries_to_claim ATTACH PARTITION kith.deliveries_default_channel_tenant_id_is_urgent_next_attempt_idx;

ALTER INDEX kith.deliveries_expiring ATTACH PARTITION kith.deliveries_default_expires_at_idx;

ALTER INDEX kith.deliveries_unanswered ATTACH PARTITION kith.deliveries_default_leased_until_idx;

ALTER INDEX kith.deliveries_pkey ATTACH PARTITION kith.deliveries_default_pkey;

ALTER INDEX kith.deliveries_of_texts ATTACH PARTITION kith.deliveries_default_tenant_id_address_id_idx;

ALTER INDEX kith.deliveries_of_answers ATTACH PARTITION kith.deliveries_default_tenant_id_address_idx;

ALTER INDEX kith.deliveries_failed ATTACH PARTITION kith.deliveries_default_tenant_id_channel_id_idx;

ALTER INDEX kith.deliveries_of_notification ATTACH PARTITION kith.deliveries_default_tenant_id_notification_id_idx;

ALTER INDEX kith.events_pkey ATTACH PARTITION kith.events_default_pkey;

ALTER INDEX kith.events_in_order ATTACH PARTITION kith.events_default_xid_id_tenant_id_idx;

ALTER INDEX kith.history_pkey ATTACH PARTITION kith.history_default_pkey;

ALTER INDEX kith.history_of_vault_by_action ATTACH PARTITION kith.history_default_tenant_id_vault_id_action_id_idx;

ALTER INDEX kith.history_of_vault ATTACH PARTITION kith.history_default_tenant_id_vault_id_id_idx;

ALTER INDEX kith.notifications_unplanned ATTACH PARTITION kith.notifications_default_deliver_at_id_idx;

ALTER INDEX kith.notifications_pkey ATTACH PARTITION kith.notifications_default_pkey;

ALTER INDEX kith.notifications_urgent ATTACH PARTITION kith.notifications_default_tenant_id_deliver_at_id_idx;

ALTER INDEX kith.notifications_to_escalate ATTACH PARTITION kith.notifications_default_tenant_id_escalates_at_idx;

ALTER INDEX kith.notifications_naming ATTACH PARTITION kith.notifications_default_tenant_id_person_id_idx;

ALTER INDEX kith.notifications_of_alarm ATTACH PARTITION kith.notifications_default_tenant_id_user_id_expr_id_idx;

ALTER INDEX kith.notifications_of_user ATTACH PARTITION kith.notifications_default_tenant_id_user_id_id_idx;

ALTER INDEX kith.notifications_unread ATTACH PARTITION kith.notifications_default_tenant_id_user_id_id_idx1;

ALTER INDEX kith.notifications_of_vault ATTACH PARTITION kith.notifications_default_tenant_id_vault_id_idx;

ALTER INDEX kith.notifications_in_order ATTACH PARTITION kith.notifications_default_xid_id_tenant_id_idx;

ALTER INDEX kith.pings_to_miss ATTACH PARTITION kith.pings_default_judge_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_pkey ATTACH PARTITION kith.pings_default_pkey;

ALTER INDEX kith.pings_to_remind ATTACH PARTITION kith.pings_default_remind_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_to_announce ATTACH PARTITION kith.pings_default_scheduled_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_of_sender ATTACH PARTITION kith.pings_default_tenant_id_ping_on_sender_id_idx;

ALTER INDEX kith.pings_with_note ATTACH PARTITION kith.pings_default_tenant_id_sender_id_connection_id_idx;

ALTER INDEX kith.pings_missed ATTACH PARTITION kith.pings_default_tenant_id_sender_id_deadline_at_idx;

ALTER TABLE ONLY kith.alarm_entries
    ADD CONSTRAINT alarm_entries_alarm FOREIGN KEY (tenant_id, alarm_id) REFERENCES kith.alarms(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.alarm_links
    ADD CONSTRAINT alarm_links_receiver FOREIGN KEY (tenant_id, receiver_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.alarm_plan_receivers
    ADD CONSTRAINT alarm_plan_receivers_plan FOREIGN KEY (tenant_id, user_id) REFERENCES kith.alarm_plans(tenant_id, user_id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.alarm_plans
    ADD CONSTRAINT alarm_plans_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_blocked FOREIGN KEY (tenant_id, blocked_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.brand_marks
    ADD CONSTRAINT brand_marks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.breaks
    ADD CONSTRAINT breaks_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.canaries
    ADD CONSTRAINT canaries_receiver FOREIGN KEY (tenant_id, receiver_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.canaries
    ADD CONSTRAINT canaries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.canary_arrivals
    ADD CONSTRAINT canary_arrivals_run FOREIGN KEY (tenant_id, canary_id, asks_at) REFERENCES kith.canary_runs(tenant_id, canary_id, asks_at) ON DELETE CASCADE;

ALTER TABLE ONLY kith.canary_channels
    ADD CONSTRAINT canary_channels_canary FOREIGN KEY (tenant_id, canary_id) REFERENCES kith.canaries(tenant_id, id);

ALTER TABLE ONLY kith.canary_channels
    ADD CONSTRAINT canary_channels_webhook FOREIGN KEY (tenant_id, webhook_id) REFERENCES kith.webhooks(tenant_id, id);

ALTER TABLE ONLY kith.canary_people
    ADD CONSTRAINT canary_people_canary FOREIGN KEY (tenant_id, canary_id) REFERENCES kith.canaries(tenant_id, id) ON DELETE SET NULL (canary_id);

ALTER TABLE ONLY kith.canary_people
    ADD CONSTRAINT canary_people_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.canary_runs
    ADD CONSTRAINT canary_runs_canary FOREIGN KEY (tenant_id, canary_id) REFERENCES kith.canaries(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.care_cards
    ADD CONSTRAINT care_cards_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.channel_credentials
    ADD CONSTRAINT channel_credentials_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.check_in_links
    ADD CONSTRAINT check_in_links_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.code_attempts
    ADD CONSTRAINT code_attempts_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connection_invitation_recipients
    ADD CONSTRAINT connection_invitation_recipients_invitation FOREIGN KEY (tenant_id, invitation_id) REFERENCES kith.connection_invitations(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.connection_invitations
    ADD CONSTRAINT connection_invitations_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_receiver FOREIGN KEY (tenant_id, receiver_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_sender FOREIGN KEY (tenant_id, sender_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.conversations
    ADD CONSTRAINT conversations_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.devices
    ADD CONSTRAINT devices_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.document_chunks
    ADD CONSTRAINT document_chunks_version FOREIGN KEY (tenant_id, version_id) REFERENCES kith.document_versions(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.document_versions
    ADD CONSTRAINT document_versions_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.documents
    ADD CONSTRAINT documents_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_delays
    ADD CONSTRAINT emergency_delays_request FOREIGN KEY (tenant_id, request_id) REFERENCES kith.emergency_requests(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_quorums
    ADD CONSTRAINT emergency_quorums_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_requests
    ADD CONSTRAINT emergency_requests_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_requests
    ADD CONSTRAINT emergency_requests_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_settings
    ADD CONSTRAINT emergency_settings_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.emergency_settings
    ADD CONSTRAINT emergency_settings_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.feedback
    ADD CONSTRAINT feedback_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.idempotency_key_subjects
    ADD CONSTRAINT idempotency_key_subjects_key FOREIGN KEY (tenant_id, caller, key) REFERENCES kith.idempotency_keys(tenant_id, caller, key) ON DELETE CASCADE;

ALTER TABLE ONLY kith.idempotency_keys
    ADD CONSTRAINT idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.inbound_counts
    ADD CONSTRAINT inbound_counts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.jwt_issuers
    ADD CONSTRAINT jwt_issuers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.jwt_keys
    ADD CONSTRAINT jwt_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.messages
    ADD CONSTRAINT messages_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.nominee_invitations
    ADD CONSTRAINT nominee_invitations_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.notification_preferences
    ADD CONSTRAINT notification_preferences_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_user_exists FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.otp_counts
    ADD CONSTRAINT otp_counts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.otp_tries
    ADD CONSTRAINT otp_tries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.ping_gaps
    ADD CONSTRAINT ping_gaps_connection FOREIGN KEY (tenant_id, connection_id) REFERENCES kith.connections(tenant_id, id);

ALTER TABLE ONLY kith.ping_runs
    ADD CONSTRAINT ping_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.places
    ADD CONSTRAINT places_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.quiet_hours
    ADD CONSTRAINT quiet_hours_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.raised_quotas
    ADD CONSTRAINT raised_quotas_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.receiver_profiles
    ADD CONSTRAINT receiver_profiles_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_family_exists FOREIGN KEY (tenant_id, family_id) REFERENCES kith.token_families(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.retention_cuts
    ADD CONSTRAINT retention_cuts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.retention_passes
    ADD CONSTRAINT retention_passes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.sender_profiles
    ADD CONSTRAINT sender_profiles_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_share FOREIGN KEY (tenant_id, share_id) REFERENCES kith.shares(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.shares
    ADD CONSTRAINT shares_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.signs_of_life
    ADD CONSTRAINT signs_of_life_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.signs
    ADD CONSTRAINT signs_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.suspensions
    ADD CONSTRAINT suspensions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.tenant_imports
    ADD CONSTRAINT tenant_imports_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.tenant_purges
    ADD CONSTRAINT tenant_purges_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.tenant_sizes
    ADD CONSTRAINT tenant_sizes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.tenant_texts
    ADD CONSTRAINT tenant_texts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.tenant_usage
    ADD CONSTRAINT tenant_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.text_invitations
    ADD CONSTRAINT text_invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.text_numbers
    ADD CONSTRAINT text_numbers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_user_exists FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.transfer_invitations
    ADD CONSTRAINT transfer_invitations_transfer FOREIGN KEY (tenant_id, transfer_id) REFERENCES kith.transfers(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.transfers
    ADD CONSTRAINT transfers_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.unique_codes
    ADD CONSTRAINT unique_codes_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.usage_hours
    ADD CONSTRAINT usage_hours_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.vault_keys
    ADD CONSTRAINT vault_keys_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.vault_sessions
    ADD CONSTRAINT vault_sessions_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.vaults
    ADD CONSTRAINT vaults_owner FOREIGN KEY (tenant_id, owner_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.webhooks
    ADD CONSTRAINT webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

