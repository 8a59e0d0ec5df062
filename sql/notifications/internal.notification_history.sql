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
  'Whether a user has had a notification of a type about pings of a date since an instant. Called only when an earlier batch left work behind.';
revoke all on function internal.was_told(integer, uuid, text, date, timestamptz) from public;

create or replace function internal.was_told_of_ping(
  p_tenant_id integer, p_user_id uuid, p_type text, p_ping_id uuid, p_since timestamptz
) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications
    where tenant_id = p_tenant_id and user_id = p_user_id and id >= internal.first_uuid7(p_since)
      and type = p_type and data ->> 'ping_id' = p_ping_id::text
  );
end
$$;
comment on function internal.was_told_of_ping(integer, uuid, text, uuid, timestamptz) is
  'Whether a user has had a notification of a type about this ping since an instant. A receiver who was alarmed must get the all-clear.';
revoke all on function internal.was_told_of_ping(integer, uuid, text, uuid, timestamptz) from public;
