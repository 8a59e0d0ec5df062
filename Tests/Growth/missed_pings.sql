-- internal.missed_pings as it was in commit 76c9fccf: a search of the dates around today, without the sender. Its generic
-- plan read all pings of the tenant's month. A test loads it, and expects to see that.
create or replace function internal.missed_pings(p_connections internal.own_connections[]) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select distinct on (ping.connection_id) ping
    from unnest(p_connections) as own
    cross join lateral (select (kith.now() at time zone own.sender_time_zone)::date) as local (today)
    cross join lateral (
      select distinct near.ping_on
      from unnest(array[
        local.today + 1, local.today, local.today - 1, local.today - 2, own.break_from_on, own.break_from_on - 1,
        (own.updated_at at time zone 'UTC')::date, (own.updated_at at time zone 'UTC')::date - 1
      ]) as near (ping_on)
      where near.ping_on <= local.today + 1
        and (own.answered_at is null or near.ping_on >= (own.answered_at at time zone 'UTC')::date - 2)
    ) as day
    join kith.pings as ping
      on ping.tenant_id = v_tenant and ping.ping_on = day.ping_on and ping.connection_id = own.id
    where own.shows_pings and ping.status = 'missed' and ping.alarmed_at is not null
      and (own.answered_at is null or ping.deadline_at > own.answered_at)
    order by ping.connection_id, ping.deadline_at desc
  );
end
$$;

create or replace function internal.missed_ping(p_connection internal.own_connections) returns kith.pings
  language sql
  stable
as $$
  select (internal.missed_pings(array[p_connection]))[1]
$$;
