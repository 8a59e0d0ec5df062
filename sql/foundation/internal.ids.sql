create or replace function internal.uuid7(p_at timestamptz) returns uuid
  language sql
  volatile
  parallel safe
as $$
  -- 48 bits of milliseconds, the version, 12 bits of the microseconds within the millisecond (RFC 9562, section 6.2,
  -- method 3), and the 62 random bits of a version 4 UUID, whose variant is the same.
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(
        ((date_part('epoch', p_at) * 1000000)::bigint / 1000 << 16) | 28672
        | ((date_part('epoch', p_at) * 1000000)::bigint % 1000 * 4096 / 1000)
      )
      from 1 for 8
    ),
    'hex'
  )::uuid
$$;
comment on function internal.uuid7(timestamptz) is
  'A new UUID version 7 of the given instant, to the microsecond: ids of later instants sort later. 62 bits are '
  'random.';
grant execute on function internal.uuid7(timestamptz) to kith_api, kith_worker;

create or replace function internal.first_uuid7(p_at timestamptz) returns uuid
  language sql
  stable
  parallel safe
as $$
  -- Such an id has 48 bits of milliseconds since 1970. Earlier and later instants get the first and the last of them.
  select case
    when p_at < '1970-01-01 00:00:00+00' then '00000000-0000-0000-0000-000000000000'
    when p_at >= '10889-08-02 05:31:50+00' then 'ffffffff-ffff-0000-0000-000000000000'
    else (lpad(to_hex((date_part('epoch', p_at) * 1000000)::bigint / 1000), 12, '0') || '00000000000000000000')::uuid
  end
$$;
comment on function internal.first_uuid7(timestamptz) is
  'The lower bound of all UUIDs version 7 made at this instant or later. Marks where a month begins among ids.';
grant execute on function internal.first_uuid7(timestamptz) to kith_api, kith_worker, kith_reader;

create or replace function internal.uuid7_ms(p_id uuid) returns bigint
  language sql
  immutable
  parallel safe
as $$
  select ('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint
$$;
comment on function internal.uuid7_ms(uuid) is 'The timestamp of a UUID version 7, in milliseconds since 1970.';
grant execute on function internal.uuid7_ms(uuid) to kith_api;
