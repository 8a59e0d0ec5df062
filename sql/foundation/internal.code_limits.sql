create or replace function internal.code_limit(p_limit text) returns integer
  language sql
  immutable
  parallel safe
as $$
  select case p_limit
    when 'codes_to_address_an_hour' then 5
    when 'emails_to_address_a_day' then 20
    when 'codes_of_user_an_hour' then 10
    when 'emails_of_tenant_a_day' then 50000
    when 'tries_of_code' then 5
    when 'tries_for_address_an_hour' then 10
    when 'invitations_to_number_a_day' then 3
  end
$$;
comment on function internal.code_limit(text) is
  'The limits of one-time codes and of invitations by SMS that no tenant sets. Those for an address, a user and a '
  'number hold over any 24 hours or any hour, those of a tenant for a UTC day. docs/limits.md lists them.';

create or replace function internal.calling_code(p_phone text) returns text
  language sql
  immutable
  parallel safe
as $$
  -- ITU-T E.164: the codes 1 and 7 have one digit, the listed ones two, all others three.
  select substr(p_phone, 2, case
    when p_phone ~ '^\+[17]' then 1
    when p_phone ~ '^\+(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])' then 2
    else 3
  end)
$$;
comment on function internal.calling_code(text)
  is 'The country calling code of a number in E.164: 49 for +4915112345678.';

create or replace function internal.hashed_address(p_address text) returns text
  language sql
  stable
as $$
  select encode(sha256(convert_to(kith.tenant_id() || ' ' || p_address, 'UTF8')), 'hex')
$$;
comment on function internal.hashed_address(text) is
  'The value that stands for an address in the counts after its account is deleted. Trying all numbers would reveal '
  'it, so it is kept only as long as the limits need it.';

create or replace function internal.count_otp(p_scope text, p_limit integer, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.otp_counts as counts (tenant_id, counted_on, scope, codes)
  select v_tenant, (p_now at time zone 'UTC')::date, p_scope, 1
  where p_limit > 0
  on conflict (tenant_id, counted_on, scope) do update set codes = counts.codes + 1
  where counts.codes < p_limit;
  return found;
end
$$;
comment on function internal.count_otp(text, integer, timestamptz) is
  'Counts a code in a scope for the day. Returns false, and counts nothing, if the limit is reached.';
