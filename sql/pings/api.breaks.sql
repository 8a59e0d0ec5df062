create or replace function api.get_break(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_answer json := internal.own_break(p_now);
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_break(timestamptz) is
  'Returns the caller''s current or coming break, in local dates. Raises not_found if there is none.';
grant execute on function api.get_break(timestamptz) to kith_api;

create or replace function api.put_break(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_from date := p_body ->> 'from';
  v_until date := p_body ->> 'until';
  v_today date;
  v_errors jsonb := '[]';
begin
  perform internal.begin_act('broadcast', p_now);
  perform internal.require_profile('sender');
  select internal.local_date(p_now, time_zone) into v_today
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user;
  if v_from > (v_today + interval '1 year')::date then
    v_errors := v_errors || internal.field_error('from', 'must be at most a year ahead');
  end if;
  if v_until < v_from then
    v_errors := v_errors || internal.field_error('until', 'must not be before the first day');
  elsif v_until < v_today then
    v_errors := v_errors || internal.field_error('until', 'must not be in the past');
  elsif v_until - v_from >= 90 then
    v_errors := v_errors
      || internal.field_error('until', 'must be at most 89 days after the first day: a break has at most 90 days');
  end if;
  perform internal.refuse_fields(v_errors);
  perform internal.replace_break(v_from, v_until, p_now);
  return api.get_break(p_now);
end
$$;
comment on function api.put_break(jsonb, timestamptz) is
  'Sets or changes the caller''s break: {from, until}, the local dates without pings. Receivers are told when it '
  'begins and when its end changes. Security definer, because only these procedures write breaks and pings.';
grant execute on function api.put_break(jsonb, timestamptz) to kith_api;

create or replace function api.delete_break(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.replace_break(null, null, p_now);
  return null;
end
$$;
comment on function api.delete_break(timestamptz) is
  'Ends the caller''s break, or cancels a coming one. Restores today''s pings whose deadline is ahead, and tells '
  'receivers if the break had begun. Raises not_found if there is none. Security definer, as put_break.';
grant execute on function api.delete_break(timestamptz) to kith_api;
