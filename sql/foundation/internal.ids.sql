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
  'A new UUID version 7 of the given instant, to the microsecond: ids of later instants sort later. 62 bits are random.';
grant execute on function internal.uuid7(timestamptz) to kith_api, kith_worker;
