-- The last place of a sender (K08): kept sealed, and shown only while it is right.

create or replace function internal.place_life() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '7 days'
$$;
comment on function internal.place_life() is 'How long a place is kept and shown (K08).';

create or replace function internal.is_place_shown(p_place kith.places, p_now timestamptz) returns boolean
  language sql
  stable
  parallel safe
as $$
  select least((p_place).received_at, (p_place).located_at) > p_now - internal.place_life()
$$;
comment on function internal.is_place_shown(kith.places, timestamptz) is
  'Whether a place is still shown with the care card, and an alarm says that there is one (K08): for 7 days since the '
  'device was there. One without that instant counts from its arrival.';

create or replace function internal.keep_place(p_tenant integer, p_user uuid, p_location jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  -- A device's clock can be ahead.
  v_at timestamptz := least(coalesce((p_location ->> 'at')::timestamptz, p_now), p_now);
begin
  if coalesce(jsonb_typeof(p_location), 'null') = 'null' or v_at <= p_now - internal.place_life() then
    return;
  end if;
  insert into kith.places as former (tenant_id, user_id, sealed_key, sealed_place, received_at, located_at)
  values (
    p_tenant, p_user, decode(p_location ->> 'sealed_key', 'hex'), decode(p_location ->> 'sealed', 'hex'), p_now, v_at
  )
  on conflict (tenant_id, user_id) do update
  set sealed_key = excluded.sealed_key, sealed_place = excluded.sealed_place, received_at = excluded.received_at,
    located_at = excluded.located_at
  where coalesce(former.located_at, former.received_at) <= excluded.located_at;
end
$$;
comment on function internal.keep_place(integer, uuid, jsonb, timestamptz) is
  'Keeps where a user was at an instant (K08), in place of an older place: {sealed_key, sealed, at}, the first two in '
  'hexadecimal, as the server has sealed them. One that is more than 7 days old, and null, keep what is there: a wrong '
  'clock must keep nobody from calling for help.';
