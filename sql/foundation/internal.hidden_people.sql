-- Accounts and endpoints that are no people's (G10, docs/decisions/0056): those of a tenant's canaries. Whatever counts
-- or lists people, their pings, alarms and messages asks here.

create or replace function internal.hidden_person(p_tenant integer, p_user uuid) returns table (user_id uuid)
  language sql
  stable
as $$
  select hidden.user_id from kith.canary_people as hidden where hidden.tenant_id = p_tenant and hidden.user_id = p_user
$$;
comment on function internal.hidden_person(integer, uuid) is
  'Returns a row if an account belongs to a canary and not to a person. For whatever counts or lists people: `not '
  'exists (select from internal.hidden_person(…))`. Returns a table, which the planner can inline: it looks into a '
  'table of a few rows.';
grant execute on function internal.hidden_person(integer, uuid) to kith_reader;

create or replace function internal.hidden_people(p_tenant integer) returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(select hidden.user_id from kith.canary_people as hidden where hidden.tenant_id = p_tenant);
end
$$;
comment on function internal.hidden_people(integer) is
  'The accounts of a tenant of which internal.hidden_person returns a row, for a page of rows of one tenant: one look, '
  'and not one for each row.';

create or replace function internal.refuse_hidden_person(p_user uuid) returns void
  language plpgsql
  stable
as $$
begin
  if exists (select from internal.hidden_person(kith.tenant_id(), p_user)) then
    perform internal.refuse_not_found();
  end if;
end
$$;
comment on function internal.refuse_hidden_person(uuid) is
  'Raises not_found if an account of the current tenant belongs to a canary: nobody signs in as one, and the tenant''s '
  'server does not see it. For definer procedures.';

create or replace function internal.hidden_endpoint(p_tenant integer, p_webhook uuid) returns table (webhook_id uuid)
  language sql
  stable
as $$
  select hidden.webhook_id from kith.canary_channels as hidden
  where hidden.tenant_id = p_tenant and hidden.webhook_id = p_webhook
$$;
comment on function internal.hidden_endpoint(integer, uuid) is
  'Returns a row if an endpoint is that of a canary, and not one of the tenant''s own webhooks. As '
  'internal.hidden_person.';
grant execute on function internal.hidden_endpoint(integer, uuid) to kith_reader;

create or replace function internal.hidden_message(p_tenant integer, p_notification uuid) returns table (user_id uuid)
  language sql
  stable
as $$
  select hidden.user_id
  from kith.notifications as notification
  join kith.canary_people as hidden
    on hidden.tenant_id = notification.tenant_id and hidden.user_id = notification.user_id
  where notification.tenant_id = p_tenant and notification.id = p_notification
$$;
comment on function internal.hidden_message(integer, uuid) is
  'Returns a row if a notification is a canary''s (G10). As internal.hidden_person, for what counts deliveries.';

create or replace function internal.hidden_pings(p_tenant integer, p_zone text, p_on date, p_until timestamptz)
  returns bigint
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if p_zone <> 'UTC' then
    return 0;
  end if;
  return (
    select count(*)
    from kith.canary_people as hidden
    join kith.connections as connection
      on connection.tenant_id = hidden.tenant_id and connection.sender_id = hidden.user_id
    join kith.pings as ping
      on ping.tenant_id = hidden.tenant_id and ping.ping_on = p_on and ping.connection_id = connection.id
        and ping.sender_id = hidden.user_id
    where hidden.tenant_id = p_tenant and hidden.asked_at is not null
      and internal.uuid7_ms(ping.id) <= coalesce(date_part('epoch', p_until) * 1000, 'infinity')
  );
end
$$;
comment on function internal.hidden_pings(integer, text, date, timestamptz) is
  'How many pings of a date and time zone that were made until an instant are those of canaries, whose senders are all '
  'in UTC. For the views that count pings by runs: p_until is when the run finished. Security definer, because '
  'operators may not call the rules of the schema internal.';
grant execute on function internal.hidden_pings(integer, text, date, timestamptz) to kith_reader;
