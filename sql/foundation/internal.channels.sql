-- The channels by which Kith sends, and what each can carry. Whoever asks about a channel asks here: no other function
-- lists channels.

create or replace function internal.channels() returns table (channel text, way text, traits text[])
  language sql
  immutable
  parallel safe
as $$
  values
    -- device: to a device of the person, whose address may be gone. contact: to a number or an address that the person
    -- has confirmed. phone: costs money each time, so it has limits of its own. link: has room for a link that acts.
    ('apns', 'push', '{device}'::text[]),
    ('web_push', 'push', '{device}'),
    ('email', 'email', '{contact,link}'),
    ('sms', 'sms', '{contact,phone,link}'),
    ('voice', 'voice', '{contact,phone}')
$$;
comment on function internal.channels() is
  'The channels, one row for each: the way that a person chooses it by, and its traits. The functions below have the '
  'traits as conditions, which the planner reads as constants; a test holds them to the rows.';
grant execute on function internal.channels() to kith_api, kith_reader, kith_worker;

create or replace function internal.is_channel(p_channel text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select coalesce(p_channel in ('apns', 'web_push', 'email', 'sms', 'voice'), false)
$$;
comment on function internal.is_channel(text) is 'Whether there is such a channel; false for null.';

create or replace function internal.goes_to_device(p_channel text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_channel in ('apns', 'web_push')
$$;
comment on function internal.goes_to_device(text) is 'Whether a channel leads to a device of the person.';

create or replace function internal.goes_to_contact(p_channel text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_channel in ('email', 'sms', 'voice')
$$;
comment on function internal.goes_to_contact(text) is
  'Whether a channel leads to a phone number or an e-mail address that the person has confirmed.';

create or replace function internal.goes_by_phone(p_channel text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_channel in ('sms', 'voice')
$$;
comment on function internal.goes_by_phone(text) is
  'Whether a channel leads to a phone number, where each message costs money and has limits of its own (K05).';

create or replace function internal.carries_link(p_channel text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_channel in ('email', 'sms')
$$;
comment on function internal.carries_link(text) is 'Whether a message of a channel has room for a link that acts.';

create or replace function internal.channel_name(p_channel text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case when p_channel in ('apns', 'web_push') then 'push' else p_channel end
$$;
comment on function internal.channel_name(text) is 'A channel as users choose it: both kinds of pushes are push.';

create or replace function internal.ways() returns text[]
  language sql
  immutable
  parallel safe
as $$
  select array['push', 'email', 'sms', 'voice']
$$;
comment on function internal.ways() is
  'The channels as users choose them, from quiet to loud, which is also from cheap to dear.';
grant execute on function internal.ways() to kith_api;
