create or replace function internal.remember_misses(p_missed kith.pings[]) returns void
  language plpgsql
as $$
begin
  if p_missed is null then
    return;
  end if;
  update kith.connections as connection
  set missed_on = newest.ping_on
  from (
    select distinct on (ping.tenant_id, ping.connection_id)
      ping.tenant_id, ping.connection_id, ping.sender_id, ping.ping_on, ping.deadline_at
    from unnest(p_missed) as ping
    order by ping.tenant_id, ping.connection_id, ping.deadline_at desc
  ) as newest
  where connection.tenant_id = newest.tenant_id and connection.id = newest.connection_id
    -- A judgement that waited, or a later tier, may come after that of a newer ping.
    and (connection.missed_on is null or not exists (
      select from kith.pings as known
      where known.tenant_id = newest.tenant_id and known.ping_on = connection.missed_on
        and known.connection_id = newest.connection_id
        -- The sender too (sql/README.md).
        and known.sender_id = newest.sender_id
        and known.status = 'missed' and known.deadline_at > newest.deadline_at
    ));
end
$$;
comment on function internal.remember_misses(kith.pings[]) is
  'X38: records on the connections of missed pings, of which the receivers are told now, which one is the newest, so '
  'that every reader finds it by its key until it is answered. For procedures that have locked the connections before '
  'the pings.';

create or replace function internal.judging_delay() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '10 seconds'
$$;
comment on function internal.judging_delay() is
  'How long after its deadline a ping is missed. A check-in that was received just before the deadline has this time '
  'to arrive in the database.';

create or replace function internal.missed_at(p_deadline_at timestamptz, p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return greatest(
    p_deadline_at + internal.judging_delay(), p_now,
    (
      select max(ended_at) + interval '15 minutes' from kith.outages
      where ended_at > p_now - interval '15 minutes' and began_at < p_deadline_at
    )
  );
end
$$;
comment on function internal.missed_at(timestamptz, timestamptz) is
  'When a ping with this deadline that is open at p_now will be missed if nobody answers it: the instant at which '
  'internal.judged_until reaches the deadline. For the rehearsal of emergency access.';
