-- Deliveries, for an operator: what is waiting, what failed, and what can be done about it.

drop view if exists admin.delivery_backlog;
create view admin.delivery_backlog with (security_barrier, security_invoker) as
select tenant.slug as tenant, delivery.channel, delivery.purpose, delivery.status, count(*) as deliveries,
  count(*) filter (where delivery.next_attempt_at <= now()) as due,
  min(delivery.created_at) as oldest_at, now() - min(delivery.created_at) as oldest_age,
  max(delivery.attempts) as most_attempts, max(delivery.error) as an_error
from kith.deliveries as delivery
join kith.tenants as tenant on tenant.tenant_id = delivery.tenant_id
where delivery.status in ('queued', 'sending')
group by tenant.slug, delivery.channel, delivery.purpose, delivery.status;
comment on view admin.delivery_backlog is
  'Messages that wait to be sent, by tenant, channel and purpose, with one of the reasons why they wait. due counts '
  'those that do not wait for a later time, such as the end of quiet hours.';
comment on column admin.delivery_backlog.tenant is 'The tenant''s slug.';
comment on column admin.delivery_backlog.channel is 'The channel: apns, web_push, email, sms or voice.';
comment on column admin.delivery_backlog.purpose is 'notification, invitation, sign_in_code or contact_code.';
comment on column admin.delivery_backlog.status is 'queued: waiting; sending: leased by a worker.';
comment on column admin.delivery_backlog.deliveries is 'The number of deliveries.';
comment on column admin.delivery_backlog.due is 'The number of those that do not wait for a later time.';
comment on column admin.delivery_backlog.oldest_at is 'When the oldest was created.';
comment on column admin.delivery_backlog.oldest_age is 'The age of the oldest.';
comment on column admin.delivery_backlog.most_attempts is 'The highest number of attempts.';
comment on column admin.delivery_backlog.an_error is
  'One of the reasons why they were refused, or, if they were not tried yet, why others went first; null if there is '
  'none.';
grant select on admin.delivery_backlog to kith_reader;

drop view if exists admin.dead_letters;
create view admin.dead_letters with (security_barrier, security_invoker) as
select tenant.slug as tenant, delivery.id, delivery.notification_id, delivery.channel, delivery.purpose,
  notification.type, notification.user_id, delivery.address, delivery.attempts, delivery.error,
  (delivery.failures -> -1 ->> 'at')::timestamptz as at, delivery.created_at, delivery.expires_at,
  format('select * from admin.story_of_notification(%L, %L)', tenant.slug, delivery.id) as next,
  case
    when delivery.purpose in ('sign_in_code', 'contact_code') then 'none: the person asks for a new code'
    when notification.read_at is not null then 'none: it was read in the app'
    when notification.delivery_status = 'sent' then 'none: another channel has taken it'
    when delivery.notification_id is not null and notification.id is null then 'none: the notification has been deleted'
    else format('select admin.replay_delivery(%L, %L, ''why'')', tenant.slug, delivery.id)
  end as remedy
from kith.deliveries as delivery
join kith.tenants as tenant on tenant.tenant_id = delivery.tenant_id
left join kith.notifications as notification
  on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
where delivery.status = 'failed'
  and not exists (select from internal.hidden_person(delivery.tenant_id, notification.user_id));
comment on view admin.dead_letters is
  'Messages of the last 30 days that failed for good, and why. admin.story_of_notification tells what else was tried. '
  'admin.replay_delivery sends one again, admin.replay_deliveries a tenant''s, and admin.replay_outage those of an '
  'outage of the provider.';
comment on column admin.dead_letters.tenant is 'The tenant''s slug.';
comment on column admin.dead_letters.id
  is 'The delivery, which admin.replay_delivery and admin.story_of_notification take.';
comment on column admin.dead_letters.notification_id is 'The notification that it carried; null for other messages.';
comment on column admin.dead_letters.channel is 'The channel: apns, web_push, email, sms or voice.';
comment on column admin.dead_letters.purpose is 'notification, invitation, sign_in_code or contact_code.';
comment on column admin.dead_letters.type is 'The type of the notification; null for other messages.';
comment on column admin.dead_letters.user_id is 'The user whom the notification was for; null for other messages.';
comment on column admin.dead_letters.address
  is 'The recipient''s address: a phone number, an e-mail address or a push token.';
comment on column admin.dead_letters.attempts is 'The number of attempts.';
comment on column admin.dead_letters.error is 'Why the last attempt failed.';
comment on column admin.dead_letters.created_at is 'When the message was created.';
comment on column admin.dead_letters.at is 'When the last recorded attempt failed; null if none was recorded.';
comment on column admin.dead_letters.expires_at is 'When the message became pointless.';
comment on column admin.dead_letters.next is 'The statement that says what else was tried.';
comment on column admin.dead_letters.remedy is
  'The statement that sends it again, or why none is needed: its reader has it from another channel or the app, or '
  'asks for a new code.';
grant select on admin.dead_letters to kith_reader;

drop view if exists admin.dropped_deliveries;
create view admin.dropped_deliveries with (security_barrier, security_invoker) as
select tenant.slug as tenant, delivery.channel, delivery.purpose, delivery.error as reason, count(*) as deliveries,
  count(distinct delivery.address) as addresses, max(delivery.created_at) as newest_at,
  case when internal.has_expired(delivery.error) and delivery.purpose in ('notification', 'invitation') then format(
    'select * from admin.replay_outage(%L, %L, %L, ''why'', %L)', delivery.channel,
    date_trunc('second', min(delivery.created_at)),
    date_trunc('second', max(delivery.created_at)) + interval '1 second', tenant.slug
  ) end as remedy
from kith.deliveries as delivery
join kith.tenants as tenant on tenant.tenant_id = delivery.tenant_id
left join kith.notifications as notification
  on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
where delivery.status = 'dropped' and delivery.id >= internal.first_uuid7(now() - interval '1 day')
  and not exists (select from internal.hidden_person(delivery.tenant_id, notification.user_id))
group by tenant.slug, delivery.channel, delivery.purpose, delivery.error;
comment on view admin.dropped_deliveries is
  'Messages of the last 24 hours that were deliberately not sent, by tenant, channel and reason: read in the app, '
  'expired, or over a limit.';
comment on column admin.dropped_deliveries.tenant is 'The tenant''s slug.';
comment on column admin.dropped_deliveries.channel is 'The channel: apns, web_push, email, sms or voice.';
comment on column admin.dropped_deliveries.purpose is 'notification, invitation, sign_in_code or contact_code.';
comment on column admin.dropped_deliveries.reason is 'Why they were not sent.';
comment on column admin.dropped_deliveries.deliveries is 'The number of deliveries.';
comment on column admin.dropped_deliveries.addresses is 'The number of distinct addresses.';
comment on column admin.dropped_deliveries.newest_at is 'When the newest was created.';
comment on column admin.dropped_deliveries.remedy is
  'For what expired while it waited: the statement that says whether it is still worth sending. Null if it was dropped '
  'on purpose.';
grant select on admin.dropped_deliveries to kith_reader;

drop view if exists admin.undelivered_alarms;
create view admin.undelivered_alarms with (security_barrier, security_invoker) as
select tenant.slug as tenant, alarm.notification_id, alarm.type, alarm.user_id, account.display_name as person,
  coalesce(
    nullif(concat_ws(
      ', ', account.phone,
      case when account.phone_verified_at is null and account.phone is not null then '(not verified)' end,
      account.email, case when account.email_verified_at is null and account.email is not null then '(not verified)' end
    ), ''), 'none: ask the tenant'
  ) as contacts,
  about.display_name as about,
  alarm.at, greatest(now() - alarm.at, interval '0') as age, alarm.webhook_told_at, alarm.operators_at,
  alarm.operator_told_at,
  format('select * from admin.story_of_notification(%L, %L)', tenant.slug, alarm.notification_id) as next,
  format('select admin.resolve_alarm(%L, %L, ''what you did'')', tenant.slug, alarm.notification_id) as remedy
from kith.undelivered_alarms as alarm
join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
left join kith.users as account on account.tenant_id = alarm.tenant_id and account.id = alarm.user_id
left join kith.notifications as notification
  on notification.tenant_id = alarm.tenant_id and notification.id = alarm.notification_id
left join kith.users as about on about.tenant_id = alarm.tenant_id and about.id::text = notification.data ->> 'user_id'
where alarm.resolved_at is null;
comment on view admin.undelivered_alarms is
  'Unresolved alarms that reached their person on no channel. Where webhook_told_at is empty, an operator must act. '
  'admin.resolve_alarm resolves one.';
comment on column admin.undelivered_alarms.tenant is 'The tenant''s slug.';
comment on column admin.undelivered_alarms.notification_id is 'The id that admin.resolve_alarm takes.';
comment on column admin.undelivered_alarms.type is 'The type of the notification, such as ping_missed.';
comment on column admin.undelivered_alarms.user_id is 'The user whom the alarm did not reach.';
comment on column admin.undelivered_alarms.person is 'Their name.';
comment on column admin.undelivered_alarms.contacts
  is 'Their phone number and e-mail address, as far as Kith knows them.';
comment on column admin.undelivered_alarms.about
  is 'Whom the alarm is about, such as the sender who has not checked in.';
comment on column admin.undelivered_alarms.at is 'When the alarm was found undelivered.';
comment on column admin.undelivered_alarms.age is 'How long ago that is; zero if a clock that was ahead wrote it.';
comment on column admin.undelivered_alarms.webhook_told_at
  is 'When a webhook of the tenant accepted it; null if none has.';
comment on column admin.undelivered_alarms.operators_at
  is 'When it was handed to the operator. A webhook may still accept it later.';
comment on column admin.undelivered_alarms.operator_told_at is 'When the operator was told; null if not yet.';
comment on column admin.undelivered_alarms.next is 'The statement that says what was tried.';
comment on column admin.undelivered_alarms.remedy
  is 'The statement that resolves it, once somebody has reached this person.';
grant select on admin.undelivered_alarms to kith_reader;

drop view if exists admin.channels;
create view admin.channels with (security_barrier, security_invoker) as
select tenant.slug as tenant, known.channel, credentials.summary as settings, pause.reason as paused_for,
  pause.paused_by, pause.paused_at, (
    select count(*) from kith.deliveries as delivery
    where delivery.tenant_id = tenant.tenant_id and delivery.id >= internal.first_uuid7(now() - interval '1 day')
      and delivery.channel = known.channel and delivery.status = 'sent'
  ) as sent_today,
  (
    select count(*) from kith.deliveries as delivery
    where delivery.tenant_id = tenant.tenant_id and delivery.id >= internal.first_uuid7(now() - interval '1 day')
      and delivery.channel = known.channel and delivery.status = 'failed'
  ) as failed_today,
  credentials.checked_at, credentials.error, credentials.refused_since, credentials.tested_at,
  (
    select case
        when credentials.error is not null then greatest(min(delivery.next_attempt_at), credentials.next_try_at)
        else min(delivery.next_attempt_at)
      end
    from kith.deliveries as delivery
    where delivery.tenant_id = tenant.tenant_id and delivery.channel = known.channel and delivery.status = 'queued'
    having count(*) > 0
  ) as next_try_at,
  case
    when credentials.summary ? 'inbound'
      then concat('/v1/inbound/', credentials.channel, '/', credentials.inbound_token)
  end as inbound_path
from kith.tenants as tenant
cross join internal.channels() as known
left join kith.channel_credentials as credentials
  on credentials.tenant_id = tenant.tenant_id and credentials.channel = known.channel
left join lateral (
  select paused.* from kith.channel_pauses as paused
  where paused.tenant_id in (0, tenant.tenant_id) and paused.channel = known.channel
  order by paused.tenant_id
  limit 1
) as pause on true
where credentials.channel is not null or pause.channel is not null;
comment on view admin.channels is
  'The channels of each tenant that are set up or paused: the provider without its secrets, how many messages of the '
  'last 24 hours were sent and failed, and the provider''s last objection. Only the columns that are selected are '
  'computed.';
comment on column admin.channels.tenant is 'The tenant''s slug.';
comment on column admin.channels.channel is 'The channel: apns, web_push, email, sms or voice.';
comment on column admin.channels.settings is 'The provider''s settings without secrets; null if none are set.';
comment on column admin.channels.paused_for
  is 'Why the channel is paused, for this tenant or for all; null if it is not.';
comment on column admin.channels.paused_by is 'Who paused it.';
comment on column admin.channels.paused_at is 'When it was paused.';
comment on column admin.channels.sent_today is 'How many messages of the last 24 hours were sent.';
comment on column admin.channels.failed_today is 'How many messages of the last 24 hours failed for good.';
comment on column admin.channels.checked_at is 'When the provider last accepted a message, or a try last failed.';
comment on column admin.channels.error is
  'Why the provider refuses the credentials; null if it does not. When it works again: kith tenant channel test TENANT '
  'CHANNEL ADDRESS.';
comment on column admin.channels.refused_since
  is 'When the first try failed of those that have all failed until now; null if the provider does not refuse.';
comment on column admin.channels.tested_at
  is 'When it last passed kith tenant channel test, which makes workers try it again at once.';
comment on column admin.channels.next_try_at is
  'When the next of the waiting messages is tried: while the provider refuses, when the worker that was refused last '
  'tries it again, at most 5 minutes later. In the past if it is due and no worker has taken it; null if none waits. A '
  'paused channel tries none.';
comment on column admin.channels.inbound_path is
  'The path below KITH_PUBLIC_URL to which the provider forwards answers and reports; null if the settings have no '
  'inbound. It is no secret: what comes there is signed.';
grant select on admin.channels to kith_reader;

drop view if exists admin.failing_channels;
create view admin.failing_channels with (security_barrier, security_invoker) as
select tenant.slug as tenant, failing.channel, failing.messages, failing.error, failing.oldest_at,
  format(
    'select * from admin.dead_letters where tenant = %L and channel = %L order by created_at desc limit 20',
    tenant.slug, failing.channel
  ) as next
from internal.failing_channels(internal.first_uuid7(now() - interval '1 hour')) as failing
join kith.tenants as tenant on tenant.tenant_id = failing.tenant_id;
comment on view admin.failing_channels is
  'Channels of which at least five messages of the last hour failed for good, and none was taken: the provider refuses '
  'everything, or what Kith sends is wrong.';
comment on column admin.failing_channels.tenant is 'The tenant''s slug.';
comment on column admin.failing_channels.channel is 'The channel: apns, web_push, email, sms or voice.';
comment on column admin.failing_channels.messages is 'How many of the last hour failed.';
comment on column admin.failing_channels.error is 'One of the errors.';
comment on column admin.failing_channels.oldest_at is 'When the first of them was created.';
comment on column admin.failing_channels.next is 'The statement that shows them.';
grant select on admin.failing_channels to kith_reader;

create or replace function internal.waiting_messages(p_channel text, p_tenant integer) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format('%s messages wait, %s of them urgent', count(*), count(*) filter (where delivery.is_urgent))
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and p_tenant in (0, delivery.tenant_id)
  );
end
$$;
comment on function internal.waiting_messages(text, integer) is
  'How many messages of a channel wait, of a tenant or, for 0, of all, in words. For the procedures that pause and '
  'resume channels.';

create or replace function internal.require_channel(p_channel text) returns void
  language plpgsql
as $$
begin
  if not internal.is_channel(p_channel) then
    raise exception 'not_found'
      using errcode = 'KT404', detail = 'The channels are apns, web_push, email, sms and voice.';
  end if;
end
$$;
comment on function internal.require_channel(text) is 'Raises not_found to an operator if there is no such channel.';

create or replace function admin.pause_channel(
  p_channel text, p_tenant text, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := 0;
  v_waiting text;
begin
  perform internal.require_present(p_now);
  if coalesce(p_reason, '') !~ '\S' then
    perform internal.refuse_fields(internal.field_error('p_reason', 'must give a reason, which admin.channels shows'));
  end if;
  perform internal.require_channel(p_channel);
  if p_tenant is null then
    perform internal.require_whole_installation();
    perform internal.leave_tenant();
  else
    v_tenant := internal.enter_tenant(p_tenant);
  end if;
  insert into kith.channel_pauses (tenant_id, channel, reason, paused_by, paused_at)
  values (v_tenant, p_channel, p_reason, internal.operator(), p_now)
  on conflict do nothing;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This channel is paused already.';
  end if;
  v_waiting := internal.waiting_messages(p_channel, v_tenant);
  perform internal.leave_tenant();
  perform internal.record_act(
    v_tenant, internal.operator(), 'channel.pause', p_channel, jsonb_build_object('reason', p_reason)
  );
  return format('paused; %s. When it may go on: select admin.resume_channel(%L, %L)', v_waiting, p_channel, p_tenant)
    || case when p_tenant is null then regexp_replace(internal.other_cells(), '^ ', '. ') else '' end;
end
$$;
comment on function admin.pause_channel(text, text, text, timestamptz) is
  'Makes a tenant''s messages on a channel wait, or those of all tenants if p_tenant is null: select '
  'admin.pause_channel(''sms'', ''acme'', ''sends twice''). Messages that expire meanwhile are dropped. Alarms use '
  'other channels at once. Returns how many messages wait.';
grant execute on function admin.pause_channel(text, text, text, timestamptz) to kith_admin;

create or replace function admin.resume_channel(p_channel text, p_tenant text, p_now timestamptz default now())
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := 0;
  v_waiting text;
  v_paused_at timestamptz;
begin
  perform internal.require_present(p_now);
  perform internal.require_channel(p_channel);
  if p_tenant is null then
    perform internal.require_whole_installation();
    perform internal.leave_tenant();
  else
    v_tenant := internal.enter_tenant(p_tenant);
  end if;
  delete from kith.channel_pauses where tenant_id = v_tenant and channel = p_channel returning paused_at
  into v_paused_at;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This channel is not paused.';
  end if;
  v_waiting := internal.waiting_messages(p_channel, v_tenant);
  perform internal.leave_tenant();
  perform internal.record_act(v_tenant, internal.operator(), 'channel.resume', p_channel, null);
  return format(
    'resumed; %s. Whom the pause delayed: select * from admin.delayed(%L, %L, %L, %L)', v_waiting, p_channel,
    date_trunc('second', v_paused_at), date_trunc('second', p_now) + interval '1 second', p_tenant
  ) || case when p_tenant is null then regexp_replace(internal.other_cells(), '^ ', '. ') else '' end;
end
$$;
comment on function admin.resume_channel(text, text, timestamptz) is
  'Ends the pause of a tenant''s channel, or, if p_tenant is null, the pause for all tenants. Each pause must be ended '
  'by itself. Returns how many messages wait.';
grant execute on function admin.resume_channel(text, text, timestamptz) to kith_admin;

create or replace function admin.replay_delivery(
  p_tenant text, p_id uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_status text;
  v_purpose text;
begin
  perform internal.require_present(p_now);
  select status, purpose into v_status, v_purpose from kith.deliveries where tenant_id = v_tenant and id = p_id;
  if not found then
    perform internal.refuse_unknown(p_tenant, format('delivery %s', p_id), 'admin.dead_letters');
  end if;
  if v_purpose in ('sign_in_code', 'contact_code') then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'The code in this message is no longer valid. A new one must be requested.';
  end if;
  if internal.replay_deliveries(v_tenant, array[p_id], p_reason, p_now) = 0 then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = format('This delivery is %s. Only a dead letter can be sent again.', v_status);
  end if;
  perform internal.record_act(
    v_tenant, internal.operator(), 'delivery.replay', p_id::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return 'the worker sends it within seconds, unless its channel is paused or it has become pointless'
    || case
      when v_purpose = 'notification' then format(': select * from admin.story_of_notification(%L, %L)', p_tenant, p_id)
      else ''
    end;
end
$$;
comment on function admin.replay_delivery(text, uuid, text, timestamptz) is
  'Queues a dead letter again for a day, as if it had never been tried: select admin.replay_delivery(''acme'', ''…'', '
  '''the provider is back''). A message that has become pointless is dropped instead of sent. Returns what follows.';
grant execute on function admin.replay_delivery(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.replay_deliveries(
  p_channel text, p_tenant text, p_since timestamptz, p_reason text, p_now timestamptz default now()
) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_replayed integer;
begin
  perform internal.require_present(p_now);
  v_replayed := internal.replay_deliveries(
    v_tenant,
    array(
      select id from kith.deliveries
      where tenant_id = v_tenant and channel = p_channel and status = 'failed' and id >= internal.first_uuid7(p_since)
        and purpose in ('notification', 'invitation')
    ),
    p_reason, p_now
  );
  perform internal.record_act(
    v_tenant, internal.operator(), 'deliveries.replay', p_channel,
    jsonb_build_object('reason', p_reason, 'since', internal.instant(p_since), 'deliveries', v_replayed)
  );
  perform internal.leave_tenant();
  return v_replayed;
end
$$;
comment on function admin.replay_deliveries(text, text, timestamptz, text, timestamptz) is
  'Queues a tenant''s dead letters of a channel again that were created since an instant, as admin.replay_delivery '
  'does. Leaves out one-time codes, which are no longer valid. Returns how many.';
grant execute on function admin.replay_deliveries(text, text, timestamptz, text, timestamptz) to kith_admin;

create or replace function admin.resolve_alarm(
  p_tenant text, p_notification_id uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  update kith.undelivered_alarms set resolved_at = p_now
  where tenant_id = v_tenant and notification_id = p_notification_id and resolved_at is null;
  if not found then
    if exists (select from kith.alarms where tenant_id = v_tenant and id = p_notification_id) then
      raise exception 'not_found'
        using errcode = 'KT404',
        detail = format('%s is an alarm. This takes the notification that reached nobody.', p_notification_id),
        hint = format(
          'select * from admin.undelivered_alarms where tenant = %L; an alarm itself ends by admin.end_alarm', p_tenant
        );
    end if;
    perform internal.refuse_unknown(
      p_tenant, format('notification %s that reached nobody and waits for somebody', p_notification_id),
      'admin.undelivered_alarms'
    );
  end if;
  perform internal.record_act(
    v_tenant, internal.operator(), 'alarm.resolve', p_notification_id::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'it no longer counts as an alarm that reached nobody; %s others of %s do', (
      select count(*) from kith.undelivered_alarms where tenant_id = v_tenant and resolved_at is null
    ), p_tenant
  );
end
$$;
comment on function admin.resolve_alarm(text, uuid, text, timestamptz) is
  'Records that somebody has taken care of an alarm that reached nobody: select admin.resolve_alarm(''acme'', ''…'', '
  '''called Bob''). Returns what follows.';
grant execute on function admin.resolve_alarm(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.set_channel(
  p_tenant text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamptz default now()
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  perform internal.set_channel(v_tenant, p_channel, p_summary, p_sealed, internal.operator(), p_now);
  perform internal.leave_tenant();
end
$$;
comment on function admin.set_channel(text, text, jsonb, bytea, timestamptz) is
  'Sets the provider that sends a tenant''s messages on a channel. Only kith tenant channel set can create the sealed '
  'value, and validates it first.';
grant execute on function admin.set_channel(text, text, jsonb, bytea, timestamptz) to kith_admin;

create or replace function admin.sealed_channel(p_tenant text, p_channel text)
  returns table (tenant_id integer, sealed bytea, inbound_token text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  return query
  select v_tenant, (
    select credentials.sealed
    from kith.channel_credentials as credentials
    where credentials.tenant_id = v_tenant and credentials.channel = p_channel
  ), (
    select credentials.inbound_token
    from kith.channel_credentials as credentials
    where credentials.tenant_id = v_tenant and credentials.channel = p_channel and credentials.summary ? 'inbound'
  );
  perform internal.leave_tenant();
end
$$;
comment on function admin.sealed_channel(text, text) is
  'Returns a tenant''s number, its sealed credentials for a channel and the token of the address for answers, null if '
  'there are none, for kith tenant channel, which has the master key. Security definer, because operators may not read '
  'secrets, even sealed ones.';
grant execute on function admin.sealed_channel(text, text) to kith_admin;

create or replace function admin.delete_channel(p_tenant text, p_channel text, p_now timestamptz default now())
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  perform internal.delete_channel(v_tenant, p_channel, internal.operator(), p_now);
  perform internal.leave_tenant();
end
$$;
comment on function admin.delete_channel(text, text, timestamptz) is
  'Deletes a channel''s credentials. The channel sends nothing until new ones are set.';
grant execute on function admin.delete_channel(text, text, timestamptz) to kith_admin;
