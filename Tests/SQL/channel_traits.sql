-- The channels and their traits: the rows of internal.channels(), and everything that must agree with them.
begin;
\ir people.sql

select plan(8);

select results_eq(
  $$
    select channel, internal.goes_to_device(channel), internal.goes_to_contact(channel), internal.goes_by_phone(channel),
      internal.carries_link(channel), internal.channel_name(channel)
    from internal.channels()
  $$,
  $$
    select channel, 'device' = any (traits), 'contact' = any (traits), 'phone' = any (traits), 'link' = any (traits), way
    from internal.channels()
  $$,
  'each condition is the trait of the rows'
);
select is_empty(
  $$ select channel from internal.channels() where ('device' = any (traits)) = ('contact' = any (traits)) $$,
  'a channel leads to a device or to a contact'
);
select is_empty(
  $$
    select channel from internal.channels(), unnest(traits) as trait
    where trait not in ('device', 'contact', 'phone', 'link')
  $$,
  'there are no other traits'
);
select ok(
  (select bool_and(internal.is_channel(channel)) from internal.channels())
    and not internal.is_channel('webhook') and not internal.is_channel('push') and not internal.is_channel(null),
  'what is a channel'
);
select is(
  (select array_agg(distinct way order by way) from internal.channels()),
  (select array_agg(way order by way) from unnest(internal.ways()) as way),
  'each way that a person chooses has a channel, and each channel a way'
);
select is_empty(
  $$
    select conrelid::regclass, pg_get_constraintdef(oid)
    from pg_catalog.pg_constraint
    where conname in (
        'deliveries_channel_is_known', 'channel_credentials_channel_is_known', 'channel_pauses_channel_is_known'
      )
      and (
        select array_agg(distinct value[1] order by value[1])
        from regexp_matches(pg_get_constraintdef(oid), '''([a-z_]+)''::text', 'g') as value
      ) is distinct from (select array_agg(channel order by channel) from internal.channels())
  $$,
  'the tables take these channels'
);
select is_empty(
  $$
    select conrelid::regclass, pg_get_constraintdef(oid)
    from pg_catalog.pg_constraint
    where conname in ('inbound_messages_channel_is_known', 'inbound_counts_channel_is_known')
      and (
        select array_agg(distinct value[1] order by value[1])
        from regexp_matches(pg_get_constraintdef(oid), '''([a-z_]+)''::text', 'g') as value
      ) is distinct from (select array_agg(channel order by channel) from internal.channels() where 'phone' = any (traits))
  $$,
  'what comes in comes by phone'
);
select is(
  (
    select count(distinct conname) from pg_catalog.pg_constraint
    where conname ~ '^(deliveries|channel_credentials|channel_pauses|inbound_messages|inbound_counts)_channel_is_known$'
  ),
  5::bigint,
  'all five were looked at'
);

select * from finish();
rollback;
