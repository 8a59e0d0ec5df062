-- After an outage of a provider: what it lost, and what of that is still worth sending.

create or replace function internal.lost_messages(
  p_channel text, p_from timestamptz, p_until timestamptz, p_tenant integer, p_now timestamptz
)
  returns table (tenant_id integer, id uuid, what text, verdict text, created_at timestamptz)
  language sql
  stable
as $$
  select failed.tenant_id, failed.id, coalesce(notification.type, failed.purpose),
    case
      when failed.error = 'the deadline had passed' then 'not sent: the deadline has passed'
      when failed.status = 'dropped' and internal.has_expired(failed.error) then 'not sent: it expired while it waited'
      when failed.status = 'dropped' then format('not sent: %s when its turn came', failed.error)
      when failed.purpose in ('sign_in_code', 'contact_code') then 'not sent: the code is no longer valid'
      when failed.purpose = 'invitation' then 'sent again'
      when notification.id is null then 'not sent: the notification has been deleted'
      when pointless.reason is not null then 'not sent: ' || pointless.reason
      when internal.serves_until(known.deadline_key, notification.data) <= p_now then 'not sent: what it told is over'
      when notification.type in ('ping_due', 'ping_reminder') and not exists (
        select from kith.pings as ping
        where ping.tenant_id = failed.tenant_id and ping.ping_on = (notification.data ->> 'date')::date
          and ping.connection_id = (notification.data ->> 'connection_id')::uuid
          and ping.sender_id = notification.user_id and coalesce(ping.judge_at, ping.deadline_at) > p_now
      ) then 'not sent: the deadline has passed'
      else 'sent again'
    end,
    failed.created_at
  from internal.messages_of_outage(p_channel, p_from, p_until, p_tenant) as lost
  cross join lateral (select (lost.delivery).*) as failed
  left join lateral (select (lost.notification).*) as notification on (lost.notification).id is not null
  left join internal.notification_types() as known on known.type = notification.type
  left join lateral internal.pointless(
    notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
  ) as pointless on notification.id is not null
  where failed.status = 'failed'
    or failed.status = 'dropped' and (lost.was_held_back or internal.has_expired(failed.error))
$$;
comment on function internal.lost_messages(text, timestamptz, timestamptz, integer, timestamptz) is
  'The messages of a tenant on a channel that were made in a time and failed for good, or were dropped after they had '
  'waited (internal.messages_of_outage); and whether each is still worth sending. For admin.replay_outage.';

create or replace function admin.replay_outage(
  p_channel text, p_from timestamptz, p_until timestamptz, p_reason text, p_tenant text default null,
  p_dry_run boolean default true, p_now timestamptz default now()
)
  returns table (tenant text, what text, verdict text, messages bigint, oldest_at timestamptz, newest_at timestamptz)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text;
  v_tenant integer;
  v_ids uuid[];
  v_replayed integer;
  v_replayed_in_all bigint := 0;
  v_lost_any boolean := false;
begin
  perform internal.require_present(p_now);
  perform internal.require_reason(p_reason);
  if not internal.is_channel(p_channel) then
    raise exception 'not_found'
      using errcode = 'KT404', detail = 'The channels are apns, web_push, email, sms and voice.',
      hint =
        'A webhook keeps its place: select * from admin.webhooks; admin.replay_webhook sends again what it has '
        'accepted.';
  elsif coalesce(p_until <= p_from or p_from < p_now - interval '30 days' or p_dry_run is null, true) then
    perform internal.refuse_fields(
      internal.field_error('p_from', 'must be before p_until, and within the last 30 days')
    );
  elsif p_tenant is null then
    perform internal.require_whole_installation();
  end if;
  for v_slug in
    select known.slug from kith.tenants as known
    where known.deleted_at is null and known.slug = coalesce(p_tenant, known.slug) order by known.slug
  loop
    v_tenant := internal.enter_tenant(v_slug);
    return query
    select v_slug, lost.what,
      case when p_dry_run then replace(lost.verdict, 'sent again', 'would be sent again') else lost.verdict end,
      count(*), min(lost.created_at), max(lost.created_at)
    from internal.lost_messages(p_channel, p_from, p_until, v_tenant, p_now) as lost
    group by lost.what, lost.verdict
    order by lost.verdict desc, lost.what;
    v_lost_any := v_lost_any or found;
    v_ids := array(
      select lost.id from internal.lost_messages(p_channel, p_from, p_until, v_tenant, p_now) as lost
      where lost.verdict = 'sent again'
    );
    if p_dry_run then
      v_replayed_in_all := v_replayed_in_all + cardinality(v_ids);
    else
      v_replayed := internal.replay_deliveries(v_tenant, v_ids, p_reason, p_now);
      if v_replayed > 0 then
        perform internal.record_act(v_tenant, internal.operator(), 'deliveries.replay', p_channel, jsonb_build_object(
          'reason', p_reason, 'since', internal.instant(p_from), 'until', internal.instant(p_until),
          'deliveries', v_replayed
        ));
      end if;
      v_replayed_in_all := v_replayed_in_all + v_replayed;
    end if;
    perform internal.leave_tenant();
  end loop;
  if p_tenant is not null and v_slug is null then
    perform internal.enter_tenant(p_tenant);
  end if;
  return query select
    p_tenant, case when v_lost_any then 'in all' else format('nothing by %s', p_channel) end,
    case
      when not v_lost_any
        then
          'no message that was made in this time failed, expired or was dropped; those that wait are in '
          'admin.delivery_backlog'
      when p_dry_run then format('a dry run: nothing was sent; with p_dry_run => false %s would be', v_replayed_in_all)
      else format('sent: the worker sends %s within seconds, unless the channel is paused', v_replayed_in_all)
    end, v_replayed_in_all, null::timestamptz, null::timestamptz;
end
$$;
comment on function admin.replay_outage(text, timestamptz, timestamptz, text, text, boolean, timestamptz) is
  'After an outage of a provider: counts the messages of a channel that were made in that time and failed, expired or '
  'were dropped after a wait, by tenant and type, and says of each whether it would be sent again, or why not (nothing '
  'is sent then): select * from admin.replay_outage(''sms'', ''2027-03-10 02:00Z'', ''2027-03-10 05:00Z'', ''outage of '
  'the provider''). With p_dry_run => false it sends them again, for one tenant or, with p_tenant null, for all. What '
  'has expired, was read or answered, and codes are named and not sent. The last line says whether this was a dry run, '
  'and how many messages are sent.';
grant execute
  on function admin.replay_outage(text, timestamptz, timestamptz, text, text, boolean, timestamptz) to kith_admin;
