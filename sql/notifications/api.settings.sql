-- When and on which channels a user is notified.

create or replace function api.get_quiet_hours() returns json
  language plpgsql
  stable
as $$
declare
  v_answer json := internal.quiet_hours_json();
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_quiet_hours() is 'Returns the caller''s quiet hours. Raises not_found if there are none.';
grant execute on function api.get_quiet_hours() to kith_api;

create or replace function api.put_quiet_hours(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.begin_act('change', p_now);
  perform internal.lock_account();
  if p_body ->> 'from' = p_body ->> 'until' then
    perform internal.refuse_fields(internal.field_error('until', 'must be another time than the beginning'));
  end if;
  insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
  values (v_tenant, v_user, (p_body ->> 'from')::time, (p_body ->> 'until')::time, p_now)
  on conflict (tenant_id, user_id) do update
  set starts_at = excluded.starts_at, ends_at = excluded.ends_at, updated_at = excluded.updated_at;
  perform internal.release_held(account, p_now) from kith.users as account
  where account.tenant_id = v_tenant and account.id = v_user;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return internal.quiet_hours_json();
end
$$;
comment on function api.put_quiet_hours(jsonb, timestamptz) is
  'Sets the caller''s quiet hours: {from, until} in the account''s time zone. They run past midnight if until is '
  'earlier than from. What the former ones held back is sent when the new ones end, or now if they are not in effect. '
  'Security definer, because it locks the account.';
grant execute on function api.put_quiet_hours(jsonb, timestamptz) to kith_api;

create or replace function api.delete_quiet_hours(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.quiet_hours where tenant_id = v_tenant and user_id = v_user;
  if found then
    perform internal.release_held(account, p_now) from kith.users as account
    where account.tenant_id = v_tenant and account.id = v_user;
    perform internal.emit_account(v_tenant, v_user, p_now);
  end if;
  return null;
end
$$;
comment on function api.delete_quiet_hours(timestamptz) is
  'Ends the caller''s quiet hours, if there are any, and sends what they held back. Security definer, because kith_api '
  'may not delete rows.';
grant execute on function api.delete_quiet_hours(timestamptz) to kith_api;

create or replace function api.get_notification_preferences() returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object(
    'preferences', internal.preferences_json(), 'types', internal.types_json(),
    'alarm_ways', internal.own_alarm_ways(), 'texts_stopped_at', internal.instant(internal.own_texts_stopped_at())
  );
end
$$;
comment on function api.get_notification_preferences() is
  'Returns the channels on which the caller gets each type of notification, defaults included; those that they can '
  'choose for it; on which of theirs an alarm reaches them; and since when their phone takes no text messages (STOP): '
  '{preferences, types, alarm_ways, texts_stopped_at}.';
grant execute on function api.get_notification_preferences() to kith_api;

create or replace function api.put_notification_preferences(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_errors jsonb;
begin
  perform internal.begin_act('change', p_now);
  perform internal.lock_account();
  select coalesce(jsonb_agg(error.value order by given.n), '[]') into v_errors
  from jsonb_array_elements(p_body -> 'preferences') with ordinality as given (preference, n)
  left join internal.notification_types() as known
    on known.type = given.preference ->> 'type' and not 'as_miss' = any (known.traits)
  cross join lateral jsonb_array_elements(
    case
      when known.type is null then
        internal.field_error(format('preferences[%s].type', given.n - 1), 'is not a type of notification')
      when exists (
        select from jsonb_array_elements(p_body -> 'preferences') with ordinality as earlier (preference, n)
        where earlier.n < given.n and earlier.preference -> 'type' = given.preference -> 'type'
      ) then
        internal.field_error(format('preferences[%s].type', given.n - 1), 'must not be repeated')
      when given.preference -> 'channels' ? 'voice' and not internal.is_spoken(known.type) then
        internal.field_error(
          format('preferences[%s].channels', given.n - 1),
          'must not have voice: ' || known.type || ' is not told by a call'
        )
      when known.breaks_through and given.preference -> 'channels' = '[]' then
        internal.field_error(
          format('preferences[%s].channels', given.n - 1),
          'must not be empty: ' || known.type || ' cannot be switched off entirely'
        )
      else '[]'
    end
  ) as error (value);
  perform internal.refuse_fields(v_errors);

  delete from kith.notification_preferences where tenant_id = v_tenant and user_id = v_user;
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  select v_tenant, v_user, given.preference ->> 'type',
    -- List each channel once, in a fixed order.
    array(
      select channel
      from unnest(internal.ways()) with ordinality as channels (channel, n)
      where given.preference -> 'channels' ? channel
      order by n
    ),
    p_now
  from jsonb_array_elements(p_body -> 'preferences') as given (preference);
  perform internal.emit_account(v_tenant, v_user, p_now);
  return api.get_notification_preferences();
end
$$;
comment on function api.put_notification_preferences(jsonb, timestamptz) is
  'Sets the channels on which the caller gets each type of notification: {preferences: [{type, channels}]}. Types that '
  'are not listed use their defaults. A type that breaks through quiet hours must keep a channel. Security definer, '
  'because kith_api may not delete rows.';
grant execute on function api.put_notification_preferences(jsonb, timestamptz) to kith_api;
