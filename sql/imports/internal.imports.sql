-- Brings in what an app has had elsewhere (A09). Each kind has one step. A step validates like the procedure by which a
-- person would do the same, but notifies nobody, and keeps what the app says of the past. Users, vaults and nominees
-- are found again by their external_id, connections by their pair, codes by themselves. A row that is found stays as it
-- is, except users and subscriptions, which are updated as by POST /v1/users.

create or replace function internal.import_kinds() returns text[]
  language sql
  immutable
  parallel safe
as $$
  select array['user', 'code', 'subscription', 'connection', 'vault', 'nominee']
$$;
comment on function internal.import_kinds() is 'The kinds of lines of an import, in the order of locks.';

create or replace function internal.import_order(p_items jsonb) returns table (line integer, item jsonb)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select (given.value ->> 'line')::integer, given.value -> 'item'
  from jsonb_array_elements(p_items) as given (value)
  left join kith.vaults as vault
    on given.value #>> '{item,kind}' = 'nominee' and vault.tenant_id = v_tenant
      and vault.external_id = given.value #>> '{item,vault}'
  order by array_position(internal.import_kinds(), given.value #>> '{item,kind}'),
    -- Whoever brings a code comes before those for whom Kith makes one: it could be the same.
    coalesce(given.value #>> '{item,sender_profile,code}', given.value #>> '{item,receiver_profile,code}') is null,
    vault.id,
    coalesce(
      given.value #>> '{item,external_id}', given.value #>> '{item,code}', given.value #>> '{item,sender}'
    ) collate "C",
    given.value #>> '{item,receiver}' collate "C",
    (given.value ->> 'line')::integer;
end
$$;
comment on function internal.import_order(jsonb) is
  'The lines of an import in the order in which they are imported, which is that of locks: by kind, the users with '
  'codes first, nominees by their vaults. So the order of the lines of one batch does not matter. For '
  'api.import_items.';

create or replace function internal.lock_named_users(p_items jsonb) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform from kith.users
  where tenant_id = v_tenant and id = any (array(
    select named_user.id
    from jsonb_array_elements(p_items) as line
    cross join lateral (values
      (case line #>> '{item,kind}' when 'user' then line #>> '{item,external_id}' end), (line #>> '{item,user}'),
      (line #>> '{item,owner}'), (line #>> '{item,sender}'), (line #>> '{item,receiver}')
    ) as named (external_id)
    join kith.users as named_user on named_user.tenant_id = v_tenant and named_user.external_id = named.external_id
    union
    select vault.owner_id
    from jsonb_array_elements(p_items) as line
    join kith.vaults as vault on vault.tenant_id = v_tenant and vault.external_id = line #>> '{item,vault}'
  ))
  order by id
  for no key update;
end
$$;
comment on function internal.lock_named_users(jsonb) is
  'Locks all users whom the lines of an import name, and the owners of the vaults that they name, in the order of the '
  'users'' ids. For api.import_items.';

create or replace function internal.import_item(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_done record;
begin
  case p_item ->> 'kind'
    when 'user' then v_done := internal.import_user(p_item, p_now);
    when 'code' then v_done := internal.import_code(p_item, p_now);
    when 'subscription' then v_done := internal.import_subscription(p_item, p_now);
    when 'connection' then v_done := internal.import_connection(p_item, p_now);
    when 'vault' then v_done := internal.import_vault(p_item, p_now);
    when 'nominee' then v_done := internal.import_nominee(p_item, p_now);
    else
      perform internal.refuse_fields(
        internal.field_error('kind', 'must be one of ' || array_to_string(internal.import_kinds(), ', '))
      );
  end case;
  id := v_done.id;
  is_new := v_done.is_new;
end
$$;
comment on function internal.import_item(jsonb, timestamptz) is
  'Imports one line, and returns the id of the thing and whether it is new. For definer procedures.';

create or replace function internal.named_user(p_item jsonb, p_field text) returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  select * into v_user
  from kith.users
  where tenant_id = v_tenant and external_id = p_item ->> p_field and deleted_at is null;
  if not found then
    perform internal.refuse_fields(
      internal.field_error(p_field, 'must be the external_id of a user: import the user first')
    );
  end if;
  return v_user;
end
$$;
comment on function internal.named_user(jsonb, text) is
  'The user whom a line names by external_id. Raises validation_failed with the field if there is none. For definer '
  'procedures.';

create or replace function internal.past_instant(p_item jsonb, p_field text, p_default timestamptz, p_now timestamptz)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_at timestamptz := coalesce((p_item ->> p_field)::timestamptz, p_default);
begin
  if v_at > p_now or v_at < timestamptz '2000-01-01T00:00Z' then
    perform internal.refuse_fields(internal.field_error(p_field, 'must be an instant in the past, since 2000'));
  end if;
  return v_at;
end
$$;
comment on function internal.past_instant(jsonb, text, timestamptz, timestamptz) is
  'An instant that a line states of the past, or the default. Raises validation_failed for one that is ahead.';

create or replace function internal.is_forgotten(p_act text, p_external_id text) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.audit
    where tenant_id = v_tenant and subject = internal.forgotten_subject(p_external_id) and action = p_act
  );
end
$$;
comment on function internal.is_forgotten(text, text) is
  'Whether a user (user.forget), a nominee (nominee.forget) or a vault (vault.forget) with this id of the tenant''s '
  'was erased, as long as the audit has it. For definer procedures.';

create or replace function internal.refuse_forgotten(p_external_id text) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if not exists (select from kith.users where tenant_id = v_tenant and external_id = p_external_id)
    and internal.is_forgotten('user.forget', p_external_id)
  then
    raise exception 'conflict' using errcode = 'KT409',
      detail =
        'This person''s account was deleted here. Leave the line out. If they come back, create their account with '
        'POST /v1/users first.';
  end if;
end
$$;
comment on function internal.refuse_forgotten(text) is
  'Raises conflict for a line of an import about somebody whose account was erased, as long as the audit has it: the '
  'same lines are sent again, and must not bring them back (A04). For definer procedures.';

create or replace function internal.fields_of_person(p_external_id text) returns text[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return coalesce((
    select array_remove(array[
      'time_zone', 'locale',
      case when account.display_name is not null then 'display_name' end,
      case when account.phone_verified_at is not null then 'phone' end,
      case when account.email_verified_at is not null then 'email' end
    ], null)
    from kith.users as account where account.tenant_id = v_tenant and account.external_id = p_external_id
  ), '{}');
end
$$;
comment on function internal.fields_of_person(text) is
  'The fields of a line that an import leaves as they are, because the account exists, and its person may have changed '
  'them since: the zone, the language, a name, and each contact that they have verified. None for a new account. For '
  'internal.import_user.';

create or replace function internal.import_user(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_put record;
  v_created_at timestamptz := internal.past_instant(p_item, 'created_at', p_now, p_now);
begin
  if p_item ->> 'external_id' is null then
    perform internal.refuse_fields(
      internal.field_error('external_id', 'is required, so that the line can be sent again')
    );
  end if;
  perform internal.refuse_forgotten(p_item ->> 'external_id');
  v_put := internal.put_user(
    p_item - array[
      'kind', 'created_at', 'sender_profile', 'receiver_profile'
    ] - internal.fields_of_person(p_item ->> 'external_id'),
    p_now
  );
  id := (v_put.body ->> 'id')::uuid;
  is_new := v_put.is_new;
  if is_new and v_created_at < p_now then
    -- Tokens of the tenant's identity provider stay valid, as for any new account.
    update kith.users set created_at = v_created_at, tokens_valid_from = v_created_at
    where tenant_id = v_tenant and users.id = import_user.id;
  end if;
  if jsonb_typeof(p_item -> 'sender_profile') = 'object' then
    perform internal.import_sender_profile(id, p_item -> 'sender_profile', p_now);
  end if;
  if jsonb_typeof(p_item -> 'receiver_profile') = 'object' then
    perform internal.refuse_ended_profile(id, 'receiver', 'Leave receiver_profile out.');
    perform internal.import_receiver_profile(id, p_item #>> '{receiver_profile,code}', p_now);
  end if;
end
$$;
comment on function internal.import_user(jsonb, timestamptz) is
  'A line {kind: user, external_id, display_name?, phone?, email?, time_zone?, locale?, created_at?, sender_profile?: '
  '{ping_time, time_zone?, grace_minutes?, reminder_minutes?, code?}, receiver_profile?: {code?}}. A user who exists '
  'gets what they lack (internal.fields_of_person). A profile that exists stays, and one that its user has ended is a '
  'conflict. A code given in the profile saves making one in its place: a code that was made here may be one that a '
  'later line brings, so users with codes come first. For definer procedures.';

create or replace function internal.import_sender_profile(p_user_id uuid, p_profile jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_new kith.sender_profiles;
  v_account_zone text;
  v_detail text;
begin
  perform internal.refuse_ended_profile(p_user_id, 'sender', 'Leave sender_profile out.');
  if exists (select from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id) then
    return;
  end if;
  v_new.ping_time := (p_profile ->> 'ping_time')::time;
  select account.time_zone, coalesce((p_profile ->> 'grace_minutes')::integer, tenant.grace_minutes),
    coalesce((p_profile ->> 'reminder_minutes')::integer, tenant.reminder_minutes)
  into v_account_zone, v_new.grace_minutes, v_new.reminder_minutes
  from kith.tenants as tenant
  join kith.users as account on account.tenant_id = tenant.tenant_id and account.id = p_user_id
  where tenant.tenant_id = v_tenant;
  if v_new.reminder_minutes >= v_new.grace_minutes and p_profile ->> 'reminder_minutes' is null then
    v_new.reminder_minutes := v_new.grace_minutes / 2;
  end if;
  v_new.time_zone := case
    when p_profile ->> 'time_zone' is null then v_account_zone
    else internal.kept_time_zone(p_profile ->> 'time_zone')
  end;
  begin
    if v_new.ping_time is null then
      perform internal.refuse_fields(internal.field_error('ping_time', 'is required'));
    end if;
    perform internal.require_times(v_new, p_profile ->> 'time_zone');
  exception when sqlstate 'KT422' then
    -- The fields are those of the object within the line.
    get stacked diagnostics v_detail = pg_exception_detail;
    perform internal.refuse_fields((
      select jsonb_agg(jsonb_set(error, '{field}', to_jsonb('sender_profile.' || (error ->> 'field'))))
      from jsonb_array_elements(v_detail::jsonb) as error
    ));
  end;
  perform internal.take_permanent_code(p_user_id, 'sender', 'sender_profile.code', p_profile ->> 'code', p_now);
  insert into kith.sender_profiles (
    tenant_id, user_id, time_zone, has_own_time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at,
    updated_at
  )
  values (
    v_tenant, p_user_id, v_new.time_zone, v_new.time_zone <> v_account_zone, v_new.ping_time, v_new.grace_minutes,
    v_new.reminder_minutes, p_now, p_now, p_now
  )
  on conflict (tenant_id, user_id) do nothing;
  perform internal.watch_check_ins(p_user_id, p_now);
  perform internal.plan_run(v_new.time_zone, p_now);
end
$$;
comment on function internal.import_sender_profile(uuid, jsonb, timestamptz) is
  'Makes an imported user a sender, with the permanent code given, or a new one. The zone of the pings follows the '
  'account''s unless the line gives another. Does nothing for a sender, and raises conflict for somebody who has '
  'stopped being one. For definer procedures.';

create or replace function internal.import_receiver_profile(p_user_id uuid, p_code text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if exists (select from kith.receiver_profiles where tenant_id = v_tenant and user_id = p_user_id) then
    return;
  end if;
  perform internal.take_permanent_code(p_user_id, 'receiver', 'receiver_profile.code', p_code, p_now);
  insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
  values (v_tenant, p_user_id, p_now, p_now)
  on conflict (tenant_id, user_id) do nothing;
end
$$;
comment on function internal.import_receiver_profile(uuid, text, timestamptz) is
  'Makes an imported user a receiver, with the permanent code given, or a new one. Does nothing for somebody who is or '
  'was a receiver. For definer procedures.';

create or replace function internal.take_permanent_code(
  p_user_id uuid, p_role text, p_field text, p_code text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if p_code is not null then
    perform internal.take_code(p_user_id, p_role, p_field, p_code, null, p_now);
  elsif not exists (
    select from kith.unique_codes
    where tenant_id = v_tenant and user_id = p_user_id and role = p_role and permanent and rotated_at is null
  ) then
    perform internal.require_room_for_code(p_user_id, p_now);
    perform internal.insert_code(p_user_id, p_role, true, null, p_now);
  end if;
end
$$;
comment on function internal.take_permanent_code(uuid, text, text, text, timestamptz) is
  'Gives an imported user a permanent code in a role: the one given, else the one they have, else a new one. For '
  'definer procedures.';

create or replace function internal.take_code(
  p_user_id uuid, p_role text, p_field text, p_code text, p_expires_at timestamptz, p_now timestamptz
) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_known kith.unique_codes;
begin
  if p_code !~ '^[0-9]{6}$' then
    perform internal.refuse_fields(internal.field_error(p_field, 'must be six digits'));
  end if;
  select * into v_known from kith.unique_codes where tenant_id = v_tenant and code = p_code for no key update;
  if v_known.user_id = p_user_id and v_known.role = p_role then
    -- It may have been rotated since it was imported. Then it stays so.
    return false;
  elsif found and not internal.code_is_free(v_known.expires_at, v_known.rotated_at, p_now) then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format(
        'The code in %s is taken, or was until less than 90 days ago. Leave it out, and give the user another.', p_field
      );
  end if;
  perform internal.require_room_for_code(p_user_id, p_now);
  if p_expires_at is null then
    update kith.unique_codes set rotated_at = p_now
    where tenant_id = v_tenant and user_id = p_user_id and role = p_role and permanent and rotated_at is null;
  end if;
  delete from kith.unique_codes where tenant_id = v_tenant and code = p_code;
  insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at, expires_at)
  values (v_tenant, p_code, p_user_id, p_role, p_expires_at is null, p_now, p_expires_at);
  perform internal.emit_account(v_tenant, p_user_id, p_now);
  return true;
exception when unique_violation then
  raise exception 'conflict'
    using errcode = 'KT409', detail = format('The code in %s was just taken by somebody else.', p_field);
end
$$;
comment on function internal.take_code(uuid, text, text, text, timestamptz, timestamptz) is
  'Gives an imported user a code that they have had elsewhere: as their permanent one in the role, which ends the '
  'earlier one, or as one that expires. False if they have had it here already. Raises conflict if it is another '
  'user''s. For definer procedures.';

create or replace function internal.import_code(p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users := internal.named_user(p_item, 'user');
  v_role text := p_item ->> 'role';
  v_expires_at timestamptz := (p_item ->> 'expires_at')::timestamptz;
begin
  if v_role is null or v_role not in ('sender', 'receiver') then
    perform internal.refuse_fields(internal.field_error('role', 'must be sender or receiver'));
  end if;
  if p_item ->> 'code' is null then
    perform internal.refuse_fields(internal.field_error('code', 'is required'));
  end if;
  if v_role = 'sender' then
    perform internal.require_imported_sender(v_user.id);
  end if;
  if not exists (
    select from kith.unique_codes
    where tenant_id = v_tenant and code = p_item ->> 'code' and user_id = v_user.id and role = v_role
  ) then
    perform internal.refuse_ended_profile(v_user.id, v_role, 'Leave the code out.');
    if v_expires_at not between p_now + interval '60 seconds' and p_now + interval '90 days' then
      perform internal.refuse_fields(internal.field_error('expires_at', 'must be from a minute to 90 days ahead'));
    end if;
  end if;
  id := v_user.id;
  is_new := internal.take_code(v_user.id, v_role, 'code', p_item ->> 'code', v_expires_at, p_now);
  if v_role = 'receiver' then
    perform internal.import_receiver_profile(v_user.id, null, p_now);
  end if;
end
$$;
comment on function internal.import_code(jsonb, timestamptz) is
  'A line {kind: code, user, role, code, expires_at?}: the user''s permanent code in that role, or, with expires_at, a '
  'further one, for a minute to 90 days as POST /v1/me/codes makes it. Makes the user a receiver. A new code for a '
  'role that the user has ended is a conflict. id is the user''s. For definer procedures.';

create or replace function internal.refuse_ended_profile(p_user_id uuid, p_role text, p_advice text) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_ended_at timestamptz;
begin
  if p_role = 'sender' then
    select ended_at into v_ended_at from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id;
  else
    select ended_at into v_ended_at from kith.receiver_profiles where tenant_id = v_tenant and user_id = p_user_id;
  end if;
  if v_ended_at is not null then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format('This user has stopped being a %s here. Only they can become one again. %s', p_role, p_advice);
  end if;
end
$$;
comment on function internal.refuse_ended_profile(uuid, text, text) is
  'Raises conflict for a user who has ended their profile for a role (P39): an import does not undo what a person '
  'chose. For definer procedures.';

create or replace function internal.require_imported_sender(p_user_id uuid) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if not exists (select from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id) then
    raise exception 'profile_required' using errcode = 'KT409',
      detail = 'This user is no sender yet. Import the user with a sender_profile, which says when to ask them.';
  end if;
end
$$;
comment on function internal.require_imported_sender(uuid) is
  'Raises profile_required for a user who is no sender: nobody can guess the time of their pings. For definer '
  'procedures.';

create or replace function internal.import_subscription(
  p_item jsonb, p_now timestamptz, out id uuid, out is_new boolean
)
  returns record
  language plpgsql
as $$
declare
  v_known constant text[] := array['trial', 'active', 'past_due', 'canceled', 'expired'];
  v_user kith.users := internal.named_user(p_item, 'user');
  v_tenant integer := kith.tenant_id();
  v_is_first boolean;
begin
  if p_item ->> 'status' is null or p_item ->> 'status' <> all (v_known) then
    perform internal.refuse_fields(internal.field_error('status', 'must be one of ' || array_to_string(v_known, ', ')));
  end if;
  perform internal.import_receiver_profile(v_user.id, null, p_now);
  -- Every profile begins with a trial without an end.
  select subscription_status = 'trial' and subscription_expires_at is null into v_is_first
  from kith.receiver_profiles
  where tenant_id = v_tenant and user_id = v_user.id;
  perform api.set_subscription(v_user.id, p_item, p_now);
  if v_is_first then
    perform internal.keep_lapse(v_user.id, p_now);
  end if;
  id := v_user.id;
  is_new := false;
end
$$;
comment on function internal.import_subscription(jsonb, timestamptz) is
  'A line {kind: subscription, user, status, expires_at?}, as PUT /v1/users/{id}/subscription sets it. Makes the user '
  'a receiver. A lapse that the receiver has had elsewhere tells nobody (internal.keep_lapse). One of a subscription '
  'that is known here is told like any other (X28). id is the user''s. For definer procedures.';

create or replace function internal.keep_lapse(p_receiver_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_stopped boolean;
begin
  update kith.receiver_profiles as profile
  set pings_stop_at = profile.good_until + make_interval(days => tenant.subscription_grace_days),
    pings_stopped_at = case
      when profile.good_until + make_interval(days => tenant.subscription_grace_days) <= p_now then p_now
    end
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant and tenant.requires_subscription
    and profile.tenant_id = v_tenant and profile.user_id = p_receiver_id and profile.good_until <= p_now
    and profile.pings_stop_at is null
  returning profile.pings_stopped_at is not null into v_stopped;
  if v_stopped then
    update kith.connections set pings_stopped_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and receiver_id = p_receiver_id and status <> 'deleted' and pings_stopped_at is null;
  end if;
end
$$;
comment on function internal.keep_lapse(uuid, timestamptz) is
  'Keeps the lapse of a subscription that a receiver has had elsewhere, without telling anybody (A09): pings stop when '
  'the grace period after it is over, which may be at once. Does nothing for a good subscription, and where the tenant '
  'requires none. For internal.import_subscription.';
