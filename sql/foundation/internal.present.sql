create or replace function internal.require_present(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- Only this check, internal.present and the audit read the clock. An operator who could choose the time of an act
  -- could complete future pings, or end a vault's 30 days early. A database made by `kith dev` or by the tests may use
  -- any time.
  if (p_now < now() - interval '1 minute' or p_now > clock_timestamp() + interval '1 minute')
    and to_regclass('internal.development') is null
  then
    raise exception 'invalid_request' using errcode = 'KT400', detail = 'What an operator does happens now.',
      hint = 'Leave p_now out.';
  end if;
end
$$;
comment on function internal.require_present(timestamptz) is
  'Raises invalid_request unless p_now is the present time, give or take a minute. Development databases are exempt. '
  'An operator''s procedure calls it first.';

create or replace function internal.present(p_now timestamptz) returns timestamptz
  language sql
  volatile
  parallel safe
as $$
  select case
    -- A request or a batch may have waited. Look for the table last: hardly any clock is wrong.
    when p_now between now() - interval '1 minute' and clock_timestamp()
      or to_regclass('internal.development') is not null
      then p_now
    when p_now > clock_timestamp() then clock_timestamp()
    else now()
  end
$$;
comment on function internal.present(timestamptz) is
  'The instant p_now of a server or worker, or the database''s own if it is ahead of that or more than a minute '
  'behind: otherwise one machine with a wrong clock would tell people of misses that have not happened, or lose a '
  'check-in. Development databases are exempt. The server applies it to each call '
  '(Sources/Requests/ProcedureCall.swift), and the worker''s procedures apply it themselves.';
grant execute on function internal.present(timestamptz) to kith_api, kith_worker;
