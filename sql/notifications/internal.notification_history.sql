create or replace function internal.was_told(
  p_tenant_id integer, p_user_id uuid, p_type text, p_ping_on date, p_since timestamptz
) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications
    where tenant_id = p_tenant_id and user_id = p_user_id and id >= internal.first_uuid7(p_since)
      and type = p_type and data ->> 'date' = p_ping_on::text
  );
end
$$;
comment on function internal.was_told(integer, uuid, text, date, timestamptz) is
  'Whether a user has had a notification of a type about pings of a date since an instant. Called only when an earlier '
  'batch left work behind.';

create or replace function internal.untold_calls(p_type text, p_pings kith.pings[]) returns kith.pings[]
  language plpgsql
  stable
as $$
begin
  return array(
    select call.ping
    from (
      select distinct on (ping.tenant_id, ping.sender_id, ping.ping_on) ping,
        case p_type when 'ping_due' then ping.scheduled_at when 'ping_reminder' then ping.remind_at
          else ping.deadline_at end as since
      from unnest(p_pings) as ping
      order by ping.tenant_id, ping.sender_id, ping.ping_on, ping.connection_id
    ) as call
    -- The last call skipped this ping because it was locked, but told its sender. A sibling in the same state does not
    -- prove that by itself, because P13 makes pings due and tells nobody. Hence both conditions.
    where not (
      exists (
        select from kith.pings as sibling
        where sibling.tenant_id = (call.ping).tenant_id and sibling.ping_on = (call.ping).ping_on
          and sibling.sender_id = (call.ping).sender_id
          and sibling.status = case p_type when 'ping_missed' then 'missed' else 'due' end
          and (p_type <> 'ping_reminder' or coalesce(sibling.remind_at > call.since, true))
      )
      and internal.was_told((call.ping).tenant_id, (call.ping).sender_id, p_type, (call.ping).ping_on, call.since)
    )
  );
end
$$;
comment on function internal.untold_calls(text, kith.pings[]) is
  'Of a batch of pings, one for each sender and date, unless an earlier batch has told the sender. Call it before the '
  'pings change, or in the statement that changes them: a stable function does not see those changes.';
