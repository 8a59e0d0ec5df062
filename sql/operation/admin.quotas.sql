-- One person's daily limit, raised for a time: for a family that moves, or a person who helps a whole house.

create or replace function admin.raise_quota(
  p_tenant text, p_user uuid, p_act text, p_limit integer, p_until timestamptz, p_reason text,
  p_now timestamptz default now()
) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_usual integer := internal.acts_a_day(nullif(p_act, 'administration'));
  v_today date := (p_now at time zone 'UTC')::date;
  v_done integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.require_reason(p_reason);
  if v_usual is null then
    perform internal.refuse_fields(internal.field_error(
      'p_act',
        'must be alarm, asking, broadcast, card, change, document, emergency, feedback, invitation, message, '
        'participant, reading, refresh, rehearsal, return or right'
    ));
  elsif p_limit is not null and p_limit not between v_usual + 1 and v_usual * 10 then
    perform internal.refuse_fields(internal.field_error(
      'p_limit', format(
        'must be from %s to %s: the usual limit is %s. Null ends what was raised', v_usual + 1, v_usual * 10, v_usual
      )
    ));
  elsif p_limit is not null and (p_until is null or p_until <= p_now or p_until > p_now + interval '31 days') then
    perform internal.refuse_fields(internal.field_error('p_until', 'must say until when, within 31 days'));
  end if;
  perform from kith.users where tenant_id = v_tenant and id = p_user and deleted_at is null for key share;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has no user %s.', p_tenant, p_user),
      hint = format('Look it up: select * from admin.find_user(%L, ''phone, e-mail or name'');', p_tenant);
  end if;
  if p_limit is null then
    delete from kith.raised_quotas where tenant_id = v_tenant and user_id = p_user and act = p_act;
  else
    insert into kith.raised_quotas (tenant_id, user_id, act, allowed, allowed_until)
    values (v_tenant, p_user, p_act, p_limit, p_until)
    on conflict (tenant_id, user_id, act) do update set allowed = excluded.allowed,
      allowed_until = excluded.allowed_until;
  end if;
  select counted.acts into v_done from kith.act_counts as counted
  where counted.tenant_id = v_tenant and counted.actor_id = p_user and counted.act = p_act
    and counted.counted_on = v_today;
  perform internal.record_act(v_tenant, internal.operator(), 'quota.raise', p_user::text, jsonb_build_object(
    'act', p_act, 'limit', p_limit, 'until', internal.instant(p_until), 'reason', p_reason
  ));
  perform internal.leave_tenant();
  return case
    when p_limit is null
      then format('%s: %s times in a UTC day, as usual; %s of today are used', p_act, v_usual, coalesce(v_done, 0))
    else format(
      '%s: %s times in a UTC day until %s, instead of %s; %s of today are used', p_act, p_limit,
      internal.shown_instant(p_until), v_usual, coalesce(v_done, 0)
    )
  end;
end
$$;
comment on function admin.raise_quota(text, uuid, text, integer, timestamptz, text, timestamptz) is
  'Lets one user do something more often in a UTC day than internal.acts_a_day, at most ten times as often, for at '
  'most 31 days: select admin.raise_quota(''acme'', ''…'', ''invitation'', 1000, now() + interval ''3 days'', ''moves '
  'a house of 200 people, ticket 812''). With null for the limit it ends that. At p_until it ends by itself. Returns '
  'what holds, and how much of today is used. The other limits of docs/limits.md cannot be raised for one person. '
  'The reason is kept in the audit and must not contain names.';
grant execute on function admin.raise_quota(text, uuid, text, integer, timestamptz, text, timestamptz) to kith_admin;
