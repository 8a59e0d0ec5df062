-- internal.uuid7 and internal.instant: ids that sort by time, and instants with the same text in every session.
begin;
\ir people.sql
select plan(11);

select is(
  left(internal.uuid7('2026-03-10T08:00:00Z')::text, 15), '019cd6c2-8c00-7',
  'an id begins with the milliseconds since 1970, followed by version 7'
);
select matches(
  internal.uuid7('2026-03-10T08:00:00Z')::text, '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  'an id has the version and the variant of RFC 9562'
);
select is(
  (select count(distinct internal.uuid7('2026-03-10T08:00:00Z')) from generate_series(1, 1000)), 1000::bigint,
  'ids of one instant differ'
);
select ok(
  internal.uuid7('2026-03-10T08:00:00.000001Z') > internal.uuid7('2026-03-10T08:00:00.000000Z'),
  'ids of two instants sort like the instants, to the microsecond'
);
select ok(
  internal.uuid7('2026-03-31T23:59:59.999999Z') < '019d46a6-1400-0000-0000-000000000000',
  'the last microsecond of a month is not rounded into the next month''s partition'
);
select is(
  internal.instant('2026-03-10T09:00:00+01:00'), '2026-03-10T08:00:00.000000Z',
  'an instant is written in UTC'
);
select is(
  (
    select count(*)
    from (select '2026-03-10T08:00:00Z'::timestamptz + n * interval '137 microseconds' as at from generate_series(1, 1000) as n) as instants
    where internal.first_uuid7(at) > internal.uuid7(at)
  ),
  0::bigint, 'the first id of an instant is not greater than any id made at it'
);
select is(
  array[internal.first_uuid7('0044-03-15 BC'), internal.first_uuid7('1970-01-01T00:00:00Z'), internal.first_uuid7('20000-01-01')]::text[],
  array['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-0000-0000-000000000000'],
  'instants that no id can have are before or after all ids'
);
set local time zone 'Asia/Kathmandu';
select is(
  internal.instant('2026-03-10T08:00:00.123456Z'), '2026-03-10T08:00:00.123456Z',
  'an instant has the same text in a session of another zone'
);
select is(internal.instant(null), null, 'a null instant gives null');
select is(kith.tenant_id(), null, 'an empty setting gives no tenant and no error');

select * from finish();
rollback;
