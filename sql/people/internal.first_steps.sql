-- What somebody new still has to do, so that a missed check-in reaches somebody and the question reaches them (I07).

create or replace function internal.own_first_steps() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_account kith.users;
  v_sender kith.sender_profiles;
  v_is_sender boolean;
  v_reachable uuid[];
  v_answer json;
begin
  perform internal.require_user();
  select * into v_account from kith.users where tenant_id = v_tenant and id = v_user;
  select * into v_sender from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user and ended_at is null;
  v_is_sender := v_sender.user_id is not null;
  -- Not a call for help, which goes to paused connections too where nobody else can be reached.
  v_reachable := case when v_is_sender then internal.reachable(
    v_tenant, array(
      select receiver_id from kith.connections
      where tenant_id = v_tenant and sender_id = v_user and status = 'active' and pings_stopped_at is null
      order by id limit 200
    ), true
  ) end;
  v_answer := json_build_object(
    'heard', v_reachable <> '{}',
    'tested', case when v_is_sender then exists (
      select from kith.connections
      where tenant_id = v_tenant and sender_id = v_user and receiver_id = any (v_reachable) and test_reached
        and tested_at >= activated_at
    ) end,
    'reached', case
      when v_is_sender then internal.can_be_asked(v_tenant, v_user)
      else internal.reachable(v_tenant, array[v_user], true) <> '{}'
    end,
    'zone', v_account.time_zone <> 'UTC' or v_account.has_chosen_zone,
    'number', case when v_is_sender then v_sender.share_phone and v_account.phone_verified_at is not null end,
    'care_card',
    case when v_is_sender then exists (select from kith.care_cards where tenant_id = v_tenant and user_id = v_user) end
  );
  return case when exists (select from json_each_text(v_answer) as step where step.value = 'false') then v_answer end;
end
$$;
comment on function internal.own_first_steps() is
  'What the current user has done of the first steps: whether a missed check-in would reach anybody (heard), whether a '
  'receiver who can be reached has said that a test message reached them (tested), whether a message reaches them '
  'themselves (reached), whether it is known where they live (zone), whether their receivers have their number, and '
  'whether they have a care card. Null where a step is nothing for them, and null as a whole once all is done. '
  'Security definer, because kith_api may not read the tenant''s channels.';
grant execute on function internal.own_first_steps() to kith_api;
