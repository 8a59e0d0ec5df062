-- A recipient's status:
--   pending, cancelled, failed, unavailable ─the sender reports→ sent, cancelled, failed, unavailable
--   queued ─Kith sends, or fails to→ sent, failed          invalid, duplicate and sent are final

create or replace function internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text)
  returns text
  language sql
  stable
  parallel safe
as $$
  select format(
    '%s wants to send you daily pings on %s to let you know they''re safe. Download the app and use code %s to '
    'connect: %s', coalesce(internal.shown_name(p_sender_name), 'Someone'), p_brand, p_code, p_link
  )
$$;
comment on function internal.invitation_message(text, text, text, text)
  is 'The text that every recipient receives, byte for byte (P16).';
grant execute on function internal.invitation_message(text, text, text, text) to kith_api;

create or replace function internal.percent_encode(p_text text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return (
    select string_agg(
      case
        when character ~ '^[A-Za-z0-9._~-]$' then character
        else regexp_replace(upper(encode(convert_to(character, 'UTF8'), 'hex')), '(..)', '%\1', 'g')
      end,
      '' order by n
    )
    from regexp_split_to_table(p_text, '') with ordinality as characters (character, n)
  );
end
$$;
comment on function internal.percent_encode(text) is
  'A text as a value in a URI: everything but the unreserved characters of RFC 3986, section 2.3, is escaped.';
grant execute on function internal.percent_encode(text) to kith_api;

create or replace function internal.phone_problem_text(p_problem text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_problem
    when 'no_number' then 'This is not a phone number.'
    when 'lacks_country' then 'Begin with + and the country code, like +49.'
    when 'too_short' then 'This number is too short.'
    when 'too_long' then 'This number is too long.'
    when 'not_possible' then 'There is no such number in this country. Is the area code there?'
    when 'takes_no_text' then 'Text messages cannot be sent to such a number.'
  end
$$;
comment on function internal.phone_problem_text(text) is 'Why a phone number is unusable, in words for a person.';
grant execute on function internal.phone_problem_text(text) to kith_api;

create or replace function internal.recipient_problem_text(p_problem text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_problem
    when 'missing' then 'Add a phone number.'
    when 'bad_name' then 'This name cannot be used. Give one of up to 100 characters without invisible ones, or none.'
    else internal.phone_problem_text(p_problem)
  end
$$;
comment on function internal.recipient_problem_text(text)
  is 'Why a recipient cannot be invited, in words for the inviter.';
grant execute on function internal.recipient_problem_text(text) to kith_api;

create or replace function internal.usable_recipient_name(p_name text) returns text
  language sql
  stable
  parallel safe
as $$
  select case
      when char_length(p_name) between 1 and 100 and jsonb_array_length(internal.name_error('name', p_name)) = 0
        then p_name
    end
$$;
comment on function internal.usable_recipient_name(text) is
  'The name of a recipient, or null if it cannot be kept, whatever else is wrong with the recipient.';

create or replace function internal.recipient_problem(p_name text, p_given_phone text, p_phone_problem text)
  returns text
  language sql
  stable
  parallel safe
as $$
  select case
    when coalesce(p_given_phone, '') = '' then 'missing'
    when p_phone_problem is not null then p_phone_problem
    when internal.usable_recipient_name(p_name) is distinct from p_name then 'bad_name'
  end
$$;
comment on function internal.recipient_problem(text, text, text) is
  'The code for why a recipient cannot be invited, or null. p_phone_problem is what the server found wrong with the '
  'number.';

create or replace function internal.invitation_recipient_json(
  p_recipient kith.connection_invitation_recipients, p_encoded_message text
) returns json
  language sql
  stable
as $$
  select json_strip_nulls(json_build_object(
    'n', (p_recipient).n,
    'name', (p_recipient).name,
    'phone', coalesce((p_recipient).phone, (p_recipient).given_phone),
    'sms_url', case
      when (p_recipient).status <> 'duplicate' then 'sms:' || (p_recipient).phone || '?&body=' || p_encoded_message
    end,
    'status', (p_recipient).status,
    'error', case (p_recipient).status
      when 'invalid' then internal.recipient_problem_text((p_recipient).problem)
      when 'duplicate' then 'This number is in the list already.'
    end,
    'connection_id', (p_recipient).connection_id
  ))
$$;
comment on function internal.invitation_recipient_json(kith.connection_invitation_recipients, text) is
  'One recipient as the sender sees them: the number in E.164 form, or as entered if it is unusable. Unless the '
  'message is null, it has a link that opens the message in the phone''s own app. iOS expects the body after &, '
  'Android after ?: both accept ?&.';
grant execute on function internal.invitation_recipient_json(kith.connection_invitation_recipients, text) to kith_api;

create or replace function internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_invitation.id;
  v_numbers text;
begin
  -- A phone's own app takes no longer list: iOS sends one message to at most 32 people.
  select string_agg(recipient.phone, ',' order by recipient.n) into v_numbers
  from kith.connection_invitation_recipients as recipient
  where recipient.tenant_id = v_tenant and recipient.invitation_id = v_id
    and recipient.status in ('pending', 'cancelled', 'failed', 'unavailable')
  having count(*) <= 30;
  return json_build_object(
    'id', v_id,
    'message', p_invitation.message,
    'code', p_invitation.code,
    'url', p_invitation.url,
    'created_at', internal.instant(p_invitation.created_at),
    'sms_url', 'sms:' || v_numbers || '?&body=' || p_encoded_message,
    'sms_url_ios', 'sms:/open?addresses=' || v_numbers || '&body=' || p_encoded_message,
    'recipients', (
      select coalesce(
        json_agg(internal.invitation_recipient_json(recipient, p_encoded_message) order by recipient.n), '[]'
      )
      from kith.connection_invitation_recipients as recipient
      where recipient.tenant_id = v_tenant and recipient.invitation_id = v_id
    )
  );
end
$$;
comment on function internal.invitation_json(kith.connection_invitations, text) is
  'An invitation as its sender sees it, with every recipient except those whose account has been deleted. The links to '
  'send the message are included if the percent-encoded message is given: a thousand of them are half a megabyte. '
  'sms_url opens one message to everybody who has not been sent one (RFC 5724), and sms_url_ios does so on iOS, which '
  'has a form of its own; both are null for more than 30 people. In one message, the recipients may see each other''s '
  'numbers.';
grant execute on function internal.invitation_json(kith.connection_invitations, text) to kith_api;

create or replace function internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_wait integer := internal.invitation_wait(p_recipients, p_now);
begin
  perform internal.require_profile('sender');
  if p_send and not (select sms_enabled from kith.tenants where tenant_id = v_tenant) then
    perform internal.refuse_fields(
      internal.field_error('send', 'must be false: text messages are not sent for this app')
    );
  end if;
  if v_wait is null and p_send and internal.sms_invitations_left(p_now) < p_recipients then
    return json_build_object(
      'problem', 'too_many_requests', 'detail',
      'No more invitations can be sent for you today. Send them from your own phone.',
      'retry_after', ceil(extract(epoch from date_trunc('day', p_now, 'UTC') + interval '1 day' - p_now))::integer
    );
  end if;
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'You can invite 2,000 people a day. Please try again later.',
      'retry_after', v_wait
    );
  end if;
  return null;
end
$$;
comment on function internal.invitation_refusal(integer, boolean, timestamptz) is
  'Null if the current user may invite p_recipients more people, otherwise the refusal to return. Raises '
  'profile_required, and validation_failed if p_send is set and Kith sends no texts for the tenant.';
grant execute on function internal.invitation_refusal(integer, boolean, timestamptz) to kith_api;

create or replace function internal.invitation_wait(p_recipients integer, p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_oldest uuid := internal.uuid7(v_since);
  v_ends_at timestamptz;
begin
  -- The limit is free again when the newest of the invitations in the way is a day old: the earlier ones are older
  -- still.
  select max(created_at) + interval '24 hours' into v_ends_at
  from (
    select created_at, sum(recipients) over (order by id desc) as invited
    from kith.connection_invitations
    where tenant_id = v_tenant and user_id = v_user and id >= v_oldest and created_at > v_since
  ) as recent
  where invited + p_recipients > 2000;
  return case when v_ends_at is not null then greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer end;
end
$$;
comment on function internal.invitation_wait(integer, timestamptz) is
  'Null if the user may invite p_recipients more people now, otherwise the seconds to wait. The limit is 2,000 in 24 '
  'hours, including unusable numbers.';
grant execute on function internal.invitation_wait(integer, timestamptz) to kith_api;

create or replace function internal.sms_invitations_left(p_now timestamptz) returns integer
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  return (
    select greatest(0, tenant.sms_invitations_per_day - coalesce((
      select codes from kith.otp_counts
      where tenant_id = v_tenant and counted_on = (p_now at time zone 'UTC')::date and scope = 'sms invitations'
    ), 0))
    from kith.tenants as tenant
    where tenant.tenant_id = v_tenant
  );
end
$$;
comment on function internal.sms_invitations_left(timestamptz) is
  'How many invitations Kith may still send by SMS for the tenant on this UTC day. Definer: nobody may read the '
  'counts.';
grant execute on function internal.sms_invitations_left(timestamptz) to kith_api;

create or replace function internal.count_invitation_to(p_phone text, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.hashed_address(p_phone);
begin
  insert into kith.text_invitations (tenant_id, id, address, sent_at)
  select v_tenant, internal.uuid7(p_now), v_address, p_now
  where (
    select count(*) < internal.code_limit('invitations_to_number_a_day')
    from kith.text_invitations
    where tenant_id = v_tenant and address = v_address and sent_at > p_now - interval '24 hours'
  );
  return found;
end
$$;
comment on function internal.count_invitation_to(text, timestamptz) is
  'Counts an invitation by SMS to a number. Returns false, and counts nothing, if the number has had its invitations '
  'of the last 24 hours from the tenant. The caller has locked the tenant''s count. For internal.queue_invitation.';

create or replace function internal.queue_invitation(p_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_message text;
  v_limit integer;
  v_recipient record;
  v_delivery uuid;
begin
  perform internal.require_user();
  select message into v_message from kith.connection_invitations
  where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  select sms_invitations_per_day into v_limit from kith.tenants where tenant_id = v_tenant;
  -- The tenant's count is locked first, then the numbers' in their order. So two lists with the same numbers cannot
  -- deadlock.
  for v_recipient in
    select recipient.n, recipient.phone
    from kith.connection_invitation_recipients as recipient
    where recipient.tenant_id = v_tenant and recipient.invitation_id = p_id and recipient.status = 'pending'
    order by recipient.phone
  loop
    -- The counts outlive the account that sends and the lists that it made: a deletion gives nobody new messages.
    exit when not internal.count_otp('sms invitations', v_limit, p_now);
    if not internal.count_invitation_to(v_recipient.phone, p_now) then
      update kith.otp_counts set codes = codes - 1
      where tenant_id = v_tenant and counted_on = (p_now at time zone 'UTC')::date and scope = 'sms invitations';
      continue;
    end if;
    v_delivery := internal.uuid7(p_now);
    insert into kith.deliveries (
      tenant_id, id, channel, purpose, address, body, is_urgent, next_attempt_at, expires_at, created_at
    )
    values (
      v_tenant, v_delivery, 'sms', 'invitation', v_recipient.phone, v_message, false, p_now,
      p_now + interval '24 hours', p_now
    );
    update kith.connection_invitation_recipients
    set status = 'queued', delivery_id = v_delivery, updated_at = p_now
    where tenant_id = v_tenant and invitation_id = p_id and n = v_recipient.n;
  end loop;
end
$$;
comment on function internal.queue_invitation(uuid, timestamptz) is
  'Queues the text messages of an invitation of the current user. A number gets at most three from a tenant within 24 '
  'hours, and a tenant sends at most sms_invitations_per_day. A recipient beyond that stays pending, and the sender '
  'can still send the message themselves. For definer procedures.';

create or replace function internal.settle_invitations(p_deliveries jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  with settled as (
    update kith.connection_invitation_recipients as recipient
    set status = case delivery.status when 'sent' then 'sent' else 'failed' end, updated_at = p_now
    from jsonb_to_recordset(p_deliveries) as delivery (tenant_id integer, id uuid, status text)
    where recipient.tenant_id = delivery.tenant_id and recipient.delivery_id = delivery.id
      and (recipient.status = 'queued' or recipient.status = 'failed' and delivery.status = 'sent')
    returning recipient.tenant_id, recipient.user_id
  )
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select tenant_id, internal.uuid7(p_now), user_id, 'account', user_id from settled group by tenant_id, user_id;
end
$$;
comment on function internal.settle_invitations(jsonb, timestamptz) is
  'Records for the senders what became of the texts that Kith sent, and shows it on their screens. p_deliveries is '
  '[{tenant_id, id, status: sent, failed or dropped}].';

create or replace function internal.add_recipients(p_invitation_id uuid, p_recipients jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  insert into kith.connection_invitation_recipients (
    tenant_id, invitation_id, n, user_id, name, given_phone, phone, problem, status, updated_at
  )
  select v_tenant, p_invitation_id, given.n, v_user, internal.usable_recipient_name(given.name),
    coalesce(given.given_phone, ''), usable.phone, checked.problem,
    case
      when usable.phone is null then 'invalid'
      when row_number() over (partition by usable.phone order by given.n) > 1 then 'duplicate'
      else 'pending'
    end,
    p_now
  from rows from (
    jsonb_to_recordset(p_recipients) as (name text, given_phone text, phone text, problem text)
  ) with ordinality as given (name, given_phone, phone, problem, n)
  cross join lateral internal.recipient_problem(given.name, given.given_phone, given.problem) as checked (problem)
  cross join lateral (select case when checked.problem is null then given.phone end) as usable (phone);
end
$$;
comment on function internal.add_recipients(uuid, jsonb, timestamptz) is
  'Writes the list of the people whom the current user invites. A recipient whose number or name cannot be used is '
  'invalid, and one whose number occurs again a duplicate. For api.create_connection_invitation.';

create or replace function internal.link_invitations(p_connection_id uuid, p_inviter_id uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_phone text;
begin
  select phone into v_phone
  from kith.users
  where tenant_id = v_tenant and id = v_user and phone_verified_at is not null;
  if v_phone is null then
    return;
  end if;
  -- Somebody may have invited one number very often. The newest invitations are enough.
  update kith.connection_invitation_recipients as recipient
  set connection_id = p_connection_id, updated_at = p_now
  where recipient.tenant_id = v_tenant and (recipient.invitation_id, recipient.n) in (
    select invited.invitation_id, invited.n
    from kith.connection_invitation_recipients as invited
    where invited.tenant_id = v_tenant and invited.phone = v_phone and invited.user_id = p_inviter_id
      and invited.status <> 'duplicate'
    order by invited.invitation_id desc
    limit 20
    for no key update
  );
end
$$;
comment on function internal.link_invitations(uuid, uuid, timestamptz) is
  'Notes in the inviter''s lists that the current user, who has verified the number that was invited, has connected. '
  'Up to 20 lists, the newest ones. For definer procedures.';

create or replace function internal.link_invitations_to(p_user_id uuid, p_phone text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.connection_invitation_recipients as recipient
  set connection_id = connected.connection_id, updated_at = p_now
  from (
    select listed.invitation_id, listed.n, invited.connection_id
    from (
      select newest.invitation_id, newest.n, connection.id as connection_id
      from (
        select * from kith.connection_invitation_recipients
        where tenant_id = v_tenant and phone = p_phone
        order by user_id, invitation_id desc
        limit 100
      ) as newest
      join kith.connections as connection
        on connection.tenant_id = v_tenant and connection.sender_id = newest.user_id
        and connection.receiver_id = p_user_id and connection.status <> 'deleted'
      where newest.connection_id is null and newest.status <> 'duplicate'
    ) as invited
    join kith.connection_invitation_recipients as listed
      on listed.tenant_id = v_tenant and listed.invitation_id = invited.invitation_id and listed.n = invited.n
    -- In the order of keys, because a worker may be reporting the same rows.
    order by listed.invitation_id, listed.n
    for no key update of listed
  ) as connected
  where recipient.tenant_id = v_tenant and recipient.invitation_id = connected.invitation_id
    and recipient.n = connected.n;
end
$$;
comment on function internal.link_invitations_to(uuid, text, timestamptz) is
  'Notes in the inviters'' lists that a user who has just verified the number that was invited had connected before. '
  'Up to 100 recipients. For definer procedures.';
