create or replace function internal.last_sign_of_life(p_tenant_id integer, p_user_id uuid, p_sign_of_life text)
  returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (
    select greatest(
      profile.last_check_in_at, life.answered_at, case p_sign_of_life when 'any_use' then life.seen_at end
    )
    from kith.sender_profiles as profile
    left join kith.signs_of_life as life on life.tenant_id = p_tenant_id and life.user_id = p_user_id
    where profile.tenant_id = p_tenant_id and profile.user_id = p_user_id
  );
end
$$;
comment on function internal.last_sign_of_life(integer, uuid, text) is
  'When a sender last showed that they are alive, by a check-in or an answer to a request, and with any_use by any '
  'signed-in use (E03). Null for never. For definer procedures.';

create or replace function internal.was_unreachable(p_tenant_id integer, p_from timestamptz, p_until timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from internal.outages_of(p_tenant_id) as outage
    where outage.component = 'server' and outage.began_at < p_until
      and (outage.ended_at is null or outage.ended_at > p_from)
  ) or exists (
    select from kith.suspensions where tenant_id = p_tenant_id and began_at < p_until and ended_at > p_from
  );
end
$$;
comment on function internal.was_unreachable(integer, timestamptz, timestamptz) is
  'Whether the users of a tenant could not check in at some time between the two instants: the servers were down, or '
  'the tenant was suspended. Its present suspension is not regarded. For definer procedures.';
