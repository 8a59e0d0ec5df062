-- From a phone call ("my daughter was not told yesterday") to the story, in two statements.

create or replace function internal.numbers_abroad(p_national text) returns text[]
  language plpgsql
  immutable
as $$
begin
  return (select case when p_national ~ '^[0-9]{5,14}$' then array(
    select '+' || code || national
    from generate_series(1, 999) as code
    -- In most countries the first zero is no part of the number abroad.
    cross join unnest(array[p_national, ltrim(p_national, '0')]) as national
    where code in (1, 7, 20, 27) or code between 30 and 34 or code in (36, 39, 40, 41) or code between 43 and 49
      or code between 51 and 58
      or code between 60 and 66 or code in (81, 82, 84, 86, 98) or code between 90 and 95
      or code / 10 in (21, 22, 23, 24, 25, 26, 29, 35, 37, 38, 42, 50, 59, 67, 68, 69, 80, 85, 87, 88, 96, 97, 99)
  ) end);
end
$$;
comment on function internal.numbers_abroad(text) is
  'A phone number as it is written within a country, with the code of each country (ITU-T E.164) in front. Null if it '
  'is none.';

create or replace function internal.users_by_contact(p_tenant integer, p_contact text) returns table (id uuid, by text)
  language plpgsql
  stable
as $$
#variable_conflict use_column
declare
  v_phone text := regexp_replace(regexp_replace(p_contact, '[\s().\-/]', '', 'g'), '^00', '+');
  v_abroad text[] := internal.numbers_abroad(v_phone);
  v_id uuid := case when p_contact ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_contact::uuid end;
begin
  return query
  (
    select one.id, 'phone' as by from kith.users as one
    where one.tenant_id = p_tenant and one.phone = v_phone and one.deleted_at is null limit 20
  )
  union all
  (
    select one.id, 'phone without its country code' from kith.users as one
    where one.tenant_id = p_tenant and one.phone = any (v_abroad) and one.deleted_at is null limit 20
  )
  union all
  (
    select one.id, 'name' from kith.users as one
    where one.tenant_id = p_tenant and lower(one.display_name) = lower(p_contact) and one.deleted_at is null limit 20
  )
  union all
  (
    select one.id, 'e-mail' from kith.users as one
    where one.tenant_id = p_tenant and one.email_normalized = internal.normalized_email(p_contact)
      and one.deleted_at is null
    limit 20
  )
  union all
  select one.id, 'the tenant''s id' from kith.users as one
  where one.tenant_id = p_tenant and one.external_id = p_contact
  union all
  select one.id, 'id' from kith.users as one where one.tenant_id = p_tenant and one.id = v_id;
end
$$;
comment on function internal.users_by_contact(integer, text) is
  'The users of a tenant with a phone number, an e-mail address, a name, the tenant''s own id or Kith''s, and by which '
  'of these. At most 20 of each. For admin.find_user.';

create or replace function internal.found_users(p_slug text, p_tenant integer, p_contact text, p_on date)
  returns table (
    tenant text, user_id uuid, display_name text, found_by text, phone text, email text, verified text, devices bigint,
    sends_to bigint, receives_from bigint, created_at timestamptz, ended_at timestamptz, next text
  )
  language sql
  stable
as $$
  select p_slug, account.id, account.display_name, string_agg(found.by, ', ' order by found.by), account.phone,
    account.email,
    concat_ws(
      ', ', case when account.phone_verified_at is not null then 'phone' end,
      case when account.email_verified_at is not null then 'e-mail' end
    ),
    (select count(*) from kith.devices as device where device.tenant_id = p_tenant and device.user_id = account.id),
    (
      select count(*) from kith.connections as connection
      where connection.tenant_id = p_tenant and connection.sender_id = account.id and connection.status <> 'deleted'
    ),
    (
      select count(*) from kith.connections as connection
      where connection.tenant_id = p_tenant and connection.receiver_id = account.id and connection.status <> 'deleted'
    ),
    account.created_at, account.deleted_at,
    format(
      'select * from admin.story_of_user(%L, %L, %L)', p_slug, account.id,
      coalesce(p_on, internal.local_date(now.at, account.time_zone))
    )
  from internal.users_by_contact(p_tenant, p_contact) as found
  cross join (select kith.now() as at) as now
  join kith.users as account on account.tenant_id = p_tenant and account.id = found.id
  group by account.tenant_id, account.id, now.at
  order by account.deleted_at nulls first, account.created_at
  limit 20
$$;
comment on function internal.found_users(text, integer, text, date) is
  'The users of a tenant with a contact, as an operator sees them, with the statement that tells their day. For '
  'admin.find_user.';

create or replace function admin.find_user(p_tenant text, p_contact text, p_on date default null)
  returns table (
    tenant text, user_id uuid, display_name text, found_by text, phone text, email text, verified text, devices bigint,
    sends_to bigint, receives_from bigint, created_at timestamptz, ended_at timestamptz, next text
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_contact text := btrim(p_contact);
  v_slug text;
  v_seen text[] := '{}';
  v_subjects text[] := '{}';
begin
  if coalesce(v_contact, '') = '' or char_length(v_contact) > 300 then
    perform internal.refuse_fields(internal.field_error(
      'p_contact', 'must be a phone number, an e-mail address, a name, the tenant''s own id of the user, or Kith''s'
    ));
  end if;
  if p_tenant is null then
    perform internal.require_whole_installation();
    perform internal.leave_tenant();
  end if;
  for v_slug in
    select p_tenant where p_tenant is not null
    union all
    (
      select known.slug from kith.tenants as known where p_tenant is null and known.deleted_at is null
      order by known.slug
    )
  loop
    for tenant, user_id, display_name, found_by, phone, email, verified, devices, sends_to, receives_from, created_at,
      ended_at, next in
      select found.* from internal.found_users(v_slug, internal.enter_tenant(v_slug), v_contact, p_on) as found
      limit 20 - cardinality(v_seen)
    loop
      return next;
      v_seen := v_seen || tenant;
      v_subjects := v_subjects || user_id::text;
    end loop;
    perform internal.leave_tenant();
    exit when cardinality(v_seen) >= 20;
  end loop;
  if v_seen = '{}' then
    raise exception 'not_found'
      using errcode = 'KT404',
      detail = format('No user of %s has this contact.', coalesce(quote_literal(p_tenant), 'any tenant')),
      hint =
        'A name must be whole, as the person wrote it. A number that was only invited is in '
        'kith.connection_invitation_recipients.'
        || case when p_tenant is null then internal.other_cells() else '' end;
  end if;
  perform internal.note_read('find_user', v_seen, v_subjects);
end
$$;
comment on function admin.find_user(text, text, date) is
  'Finds users of a tenant by a phone number in any spelling, by an e-mail address, by the whole name, by the '
  'tenant''s own id or by Kith''s: select * from admin.find_user(''acme'', ''+44 7700 900123'', ''2027-03-10''). With '
  'null for the tenant it looks in all, one after the other. A number without its country code may be several '
  'people''s. next is the statement that tells their day: p_on, or today in their zone. Several accounts can state one '
  'contact, of which at most one has verified it. At most 20 are found.';
grant execute on function admin.find_user(text, text, date) to kith_reader;

create or replace function internal.day_of_pings(p_user kith.users, p_slug text, p_on date)
  returns table (at timestamptz, what text, detail text, next text)
  language sql
  stable
as $$
  select coalesce(ping.scheduled_at, known.activated_at),
    case when known.sender_id = p_user.id then 'sends' else 'receives' end,
    format(
      '%s %s, connection %s, %s: %s', case when known.sender_id = p_user.id then 'to' else 'from' end,
      coalesce(other.display_name, 'somebody whose account has ended'), known.id, known.status,
      case
        when ping.id is null then format('no ping on %s', p_on)
        else format(
          'the ping of %s was %s; due until %s', p_on, ping.status,
          internal.shown_instant(coalesce(ping.judge_at, ping.deadline_at))
        )
      end
    ),
    format('select * from admin.story_of_ping(%L, %L, %L)', p_slug, known.id, p_on)
  from (
    (
      select * from kith.connections as one where one.tenant_id = p_user.tenant_id and one.sender_id = p_user.id
      order by one.id desc limit 100
    )
    union all
    (
      select * from kith.connections as one where one.tenant_id = p_user.tenant_id and one.receiver_id = p_user.id
      order by one.id desc limit 100
    )
  ) as known
  join kith.users as other
    on other.tenant_id = known.tenant_id
      and other.id = case when known.sender_id = p_user.id then known.receiver_id else known.sender_id end
  left join kith.pings as ping
    on ping.tenant_id = known.tenant_id and ping.ping_on = p_on and ping.connection_id = known.id
      and ping.sender_id = known.sender_id
  where ping.id is not null or known.status <> 'deleted'
    or known.deleted_at >= internal.midnight(p_on, p_user.time_zone)
$$;
comment on function internal.day_of_pings(kith.users, text, date) is
  'The pings of a user''s connections on a date, as sender and as receiver, or that there was none; at most 100 of '
  'each. For admin.story_of_user.';

create or replace function internal.day_of_messages(
  p_user kith.users, p_slug text, p_from timestamptz, p_until timestamptz
)
  returns table (at timestamptz, what text, detail text, next text)
  language sql
  stable
as $$
  select check_in.received_at, 'check-in',
    format('by %s%s', check_in.source, case when check_in.note is not null then ', with a note' end), null
  from kith.check_ins as check_in
  where check_in.tenant_id = p_user.tenant_id and check_in.user_id = p_user.id and check_in.received_at >= p_from
    and check_in.received_at < p_until
  union all
  select told.created_at, internal.how_told(told.notification),
    format('%s%s: %s', told.type, ' of ' || (told.data ->> 'date'), internal.what_became_of(told.notification)),
    format('select * from admin.story_of_notification(%L, %L)', p_slug, told.id)
  from (
    select notification.id, notification.created_at, notification.type, notification.data, notification
    from kith.notifications as notification
    where notification.tenant_id = p_user.tenant_id and notification.user_id = p_user.id
      and notification.id >= internal.first_uuid7(p_from) and notification.id < internal.first_uuid7(p_until)
    order by notification.id
    limit 200
  ) as told
$$;
comment on function internal.day_of_messages(kith.users, text, timestamptz, timestamptz) is
  'A user''s check-ins of a time, and what they were told in it, with the date of its ping and what became of each '
  'message; at most 200. For admin.story_of_user.';

create or replace function internal.day_of_emergencies(
  p_user kith.users, p_slug text, p_from timestamptz, p_until timestamptz
)
  returns table (at timestamptz, what text, detail text, next text)
  language sql
  stable
as $$
  select request.requested_at, 'emergency access', format(
      '%s, %s%s', case when request.owner_id = p_user.id then 'to a vault of theirs' else 'for them' end,
      case request.cause when 'silence' then 'because the owner was silent' else 'because a nominee asked' end,
      case
        when request.ended_at is not null
          then format('; ended at %s: %s', internal.shown_instant(request.ended_at), request.end_reason)
        when request.held_at is not null then '; held by ' || request.held_by
      end
    ), format('select * from admin.story_of_emergency(%L, %L)', p_slug, request.id)
  from (
    (
      select own.id from kith.emergency_requests as own
      where own.tenant_id = p_user.tenant_id and own.owner_id = p_user.id and own.ended_at is null limit 100
    )
    union
    (
      select own.id from kith.emergency_requests as own
      where own.tenant_id = p_user.tenant_id and own.user_id = p_user.id and own.ended_at is null limit 100
    )
    union
    (
      select ended.id
      from kith.vaults as vault
      join kith.emergency_requests as ended on ended.tenant_id = vault.tenant_id and ended.vault_id = vault.id
      where vault.tenant_id = p_user.tenant_id and vault.owner_id = p_user.id and ended.ended_at >= p_from
      order by ended.id desc limit 100
    )
  ) as known (id)
  join kith.emergency_requests as request on request.tenant_id = p_user.tenant_id and request.id = known.id
  where request.requested_at < p_until
$$;
comment on function internal.day_of_emergencies(kith.users, text, timestamptz, timestamptz) is
  'The requests for emergency access that were open in a time: to the vaults of a user, and for them as a nominee; of '
  'the latter only those that are still open. For admin.story_of_user.';

create or replace function admin.story_of_user(p_tenant text, p_user uuid, p_on date)
  returns table (at timestamptz, what text, detail text, next text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_user kith.users;
  v_from timestamptz;
begin
  select * into v_user from kith.users where tenant_id = v_tenant and id = p_user;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has no user %s.', p_tenant, p_user),
      hint = format('Look it up: select * from admin.find_user(%L, ''phone, e-mail or name'');', p_tenant);
  end if;
  -- A zone may have skipped the date.
  v_from := coalesce(internal.midnight(p_on, v_user.time_zone), p_on::timestamp at time zone 'UTC');
  return query
  select null::timestamptz, 'now', format(
    'the account %s; zone %s; %s; %s', coalesce('ended at ' || internal.shown_instant(v_user.deleted_at), 'is live'),
    v_user.time_zone, concat_ws(
      ', ', case
        when v_user.email_verified_at is not null then 'e-mail verified'
        when v_user.email is not null then 'e-mail not verified'
        else 'no e-mail'
      end,
      case
        when v_user.phone_verified_at is not null then 'phone verified'
        when v_user.phone is not null then 'phone not verified'
        else 'no phone'
      end
    ),
    (
      select format('%s devices', count(*)) from kith.devices as device
      where device.tenant_id = v_tenant and device.user_id = p_user
    )
  ), null::text
  union all
  (
    select story.* from (
      select pings.* from internal.day_of_pings(v_user, p_tenant, p_on) as pings
      union all
      -- A miss of the evening is told after midnight.
      select messages.*
      from internal.day_of_messages(v_user, p_tenant, v_from, v_from + interval '30 hours') as messages
      union all
      select alarms.* from internal.day_of_alarms(v_user, p_tenant, v_from, v_from + interval '30 hours') as alarms
      union all
      select emergencies.*
      from internal.day_of_emergencies(v_user, p_tenant, v_from, v_from + interval '30 hours') as emergencies
      union all
      select planned.at, 'break', format('from %s to %s, both without pings', planned.from_on, planned.until_on), null
      from (
        select pause.created_at as at, pause.from_on, pause.until_on from kith.breaks as pause
        where pause.tenant_id = v_tenant and pause.user_id = p_user and pause.from_on <= p_on and pause.until_on >= p_on
        limit 20
      ) as planned
    ) as story
    order by story.at, story.what
  );
  perform internal.leave_tenant();
  perform internal.note_read('story_of_user', array[p_tenant], array[p_user::text]);
end
$$;
comment on function admin.story_of_user(text, uuid, date) is
  'A user''s day: the pings that they sent and received, their check-ins, breaks, alarms and requests for emergency '
  'access, and what they were told, on which channel or why on none. next is the statement that tells more. select * '
  'from admin.story_of_user(''acme'', ''019aa5c2-…'', ''2027-03-10''). The date is the sender''s; messages are shown '
  'from the user''s midnight for 30 hours.';
grant execute on function admin.story_of_user(text, uuid, date) to kith_reader;
