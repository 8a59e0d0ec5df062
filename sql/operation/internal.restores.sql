-- The steps by which a confirmed restore settles the lost time, from the instant to which the database went back until
-- the previous incarnation stopped serving. A minute at the end is not counted as served: what was due in it may not
-- have been told. docs/decisions/0031 says why.

create or replace function internal.settle_lost_pings(
  p_served_until timestamptz, p_now timestamptz, out closed bigint, out begun_again bigint
)
  language plpgsql
as $$
begin
  -- Check-ins wait for a moment. Otherwise one that locks a sender's pings in another order could deadlock with this.
  lock table kith.pings in share row exclusive mode;
  update kith.pings set status = 'cancelled', remind_at = null
  where status in ('scheduled', 'due') and deadline_at <= p_served_until - interval '1 minute';
  get diagnostics closed = row_count;
  update kith.pings
  set status = 'scheduled', scheduled_at = p_now, asked_at = null, judge_at = null,
    remind_at = p_now + case
      when remind_at > scheduled_at then remind_at - scheduled_at
      else (deadline_at - scheduled_at) / 2
    end,
    deadline_at = greatest(deadline_at, p_now + (deadline_at - scheduled_at))
  where status in ('scheduled', 'due') and scheduled_at <= p_served_until;
  get diagnostics begun_again = row_count;
  update kith.breaks
  set told_until_on = until_on, ended_at = case when ends_at <= p_served_until - interval '1 minute' then p_now end,
    updated_at = p_now
  where ended_at is null and starts_at <= p_served_until - interval '1 minute';
end
$$;
comment on function internal.settle_lost_pings(timestamptz, timestamptz) is
  'Cancels the pings that were judged in the lost time: their receivers know, and their answers are lost. Begins those '
  'anew that were open then, because a check-in may be lost: their senders are asked again, and have as long to answer '
  'as at first. Breaks that began or ended in the lost time are not told of again. For admin.confirm_restore.';

create or replace function internal.drop_lost_messages(
  p_served_until timestamptz, p_now timestamptz, out deliveries bigint, out notifications bigint
)
  language plpgsql
as $$
declare
  v_until timestamptz := p_served_until - interval '1 minute';
begin
  -- One that had failed before may have failed again. It is sent once more: rather twice than never.
  update kith.deliveries
  set status = 'dropped', leased_until = null, leased_by = null, error = 'sent before the restore'
  where (status = 'queued' and attempts = 0 or status = 'sending') and next_attempt_at <= v_until
    and created_at <= v_until;
  get diagnostics deliveries = row_count;
  update kith.notifications as notification
  set delivery_status = 'dropped', planned_at = coalesce(notification.planned_at, p_now), escalates_at = null
  where notification.delivery_status = 'queued'
    and coalesce(notification.deliver_at, notification.created_at) <= v_until
    and not exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
        and delivery.status = 'queued'
    );
  get diagnostics notifications = row_count;
end
$$;
comment on function internal.drop_lost_messages(timestamptz, timestamptz) is
  'Drops the messages that were due in the lost time, because the previous incarnation has sent them. Messages that '
  'had failed are kept. For admin.confirm_restore.';

create or replace function internal.end_all_sign_ins(p_now timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_ended bigint;
begin
  update kith.token_families set ended_at = p_now, end_reason = 'signed_out_everywhere' where ended_at is null;
  get diagnostics v_ended = row_count;
  -- As api.sign_out: tokens carry whole seconds.
  update kith.users set tokens_valid_from = date_trunc('second', p_now) + interval '1 second' where deleted_at is null;
  return v_ended;
end
$$;
comment on function internal.end_all_sign_ins(timestamptz) is
  'Ends all sign-ins and all access tokens issued until now, of every user of every tenant. Returns how many sign-ins. '
  'For admin.confirm_restore.';

create or replace function internal.release_the_past(p_until timestamptz, p_now timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_released bigint := 0;
begin
  perform from kith.vaults as vault
  where exists (
    select from kith.emergency_requests as request
    where request.tenant_id = vault.tenant_id and request.vault_id = vault.id and request.ended_at is null
      and request.hold_reason = internal.restored_reason()
  )
  order by vault.tenant_id, vault.id
  for no key update;
  for v_request in
    select * from kith.emergency_requests
    where ended_at is null and hold_reason = internal.restored_reason()
    order by tenant_id, id
    for update
  loop
    if p_until is null then
      perform internal.release_request(v_request, p_now, p_now);
    else
      update kith.emergency_requests set held_until = p_until
      where tenant_id = v_request.tenant_id and id = v_request.id
      returning * into v_request;
      perform internal.wake_emergency(
        v_request,
        -- While the quorum gathers there is no instant to tell.
        case
          when v_request.waits_from is not null
            then internal.tell_emergency(
              v_request, 'emergency_requested', 'owner', case v_request.cause when 'silence' then 'moved' end, p_now
            )
        end,
        p_until
      );
    end if;
    v_released := v_released + 1;
  end loop;
  return v_released;
end
$$;
comment on function internal.release_the_past(timestamptz, timestamptz) is
  'Ends the holds that a restore began: at once if p_until is null, otherwise at p_until, and tells the owners of the '
  'requests, so that they can reject them again. Returns how many. For admin.confirm_restore.';
