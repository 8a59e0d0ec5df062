create or replace function internal.instant(p_at timestamptz) returns text
  language sql
  stable
  parallel safe
as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
comment on function internal.instant(timestamptz) is
  'An instant in the API''s representation: RFC 3339 in UTC with microseconds and Z, whatever the session''s time '
  'zone. Null for null.';
grant execute on function internal.instant(timestamptz) to kith_api, kith_worker, kith_reader;

create or replace function internal.place_in_minute(p_user_id uuid) returns interval
  language sql
  immutable
  parallel safe
as $$
  select (uuid_hash(p_user_id)::bigint + 2147483648) % 60000 * interval '1 millisecond'
$$;
comment on function internal.place_in_minute(uuid) is
  'A user''s fixed offset within a minute. It spreads work that falls due for all users in the same second.';

create or replace function internal.shown_instant(p_at timestamptz) returns text
  language sql
  stable
as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
$$;
comment on function internal.shown_instant(timestamptz)
  is 'An instant within a sentence for operators, in UTC to the second.';
