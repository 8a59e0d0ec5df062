create or replace function internal.require_present(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- The clock is read here and in the audit: an operator who could choose the time of an act would finish the pings of days to come, or
  -- have a vault's thirty days be over. A database that `kith dev` or the tests made has a clock of its own.
  if (p_now < now() - interval '1 minute' or p_now > clock_timestamp() + interval '1 minute')
    and to_regclass('internal.development') is null
  then
    raise exception 'invalid_request' using errcode = 'KT400', detail = 'What an operator does happens now.',
      hint = 'Leave p_now out.';
  end if;
end
$$;
comment on function internal.require_present(timestamptz) is
  'Raises invalid_request unless the instant is the present one, but for databases of development. First in an operator''s procedures.';
revoke all on function internal.require_present(timestamptz) from public;
