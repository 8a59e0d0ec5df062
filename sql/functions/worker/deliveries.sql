-- The worker's side of the outbox: claim a batch, send it outside any transaction, say what became of it.

create or replace function worker.claim_deliveries(p_now timestamptz, p_batch integer, p_instance text)
  returns table (
    tenant_id integer, id uuid, channel text, address text, subject text, body text, sealed_secret bytea
  )
  language plpgsql
as $$
#variable_conflict use_column
begin
  return query
    with due as materialized (
      select delivery.tenant_id, delivery.id
      from kith.deliveries as delivery
      where delivery.status in ('queued', 'sending') and coalesce(delivery.leased_until, delivery.next_attempt_at) <= p_now
        and delivery.expires_at > p_now
      order by coalesce(delivery.leased_until, delivery.next_attempt_at)
      limit p_batch
      for update skip locked
    )
    update kith.deliveries as delivery
    set status = 'sending', attempts = delivery.attempts + 1, leased_until = p_now + interval '1 minute', leased_by = p_instance
    from due
    where delivery.tenant_id = due.tenant_id and delivery.id = due.id
    returning delivery.tenant_id, delivery.id, delivery.channel, delivery.address, delivery.subject, delivery.body, delivery.sealed_secret;
end
$$;
comment on function worker.claim_deliveries(timestamptz, integer, text) is
  'Takes the deliveries that are due for a minute and counts the attempt; several workers take different ones. After the minute they are anybody''s again: a worker that died in between may have sent some, so the channel may see one twice, with the same id.';
revoke all on function worker.claim_deliveries(timestamptz, integer, text) from public;
grant execute on function worker.claim_deliveries(timestamptz, integer, text) to kith_worker;

create or replace function worker.finish_deliveries(p_now timestamptz, p_instance text, p_results jsonb) returns integer
  language plpgsql
as $$
declare
  v_finished integer;
  v_invitations jsonb;
begin
  -- In one order: whoever ends an account deletes several.
  perform from kith.deliveries as delivery
  join jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
  with finished as (
    update kith.deliveries as delivery
    set
      status = case
        when result.outcome = 'sent' then 'sent'
        when result.outcome = 'failed' or delivery.attempts >= 10 then 'failed'
        else 'queued'
      end,
      sent_at = case when result.outcome = 'sent' then p_now end,
      error = result.error,
      -- Never past its end, so that it is looked at once more and dropped.
      next_attempt_at = least(p_now + internal.retry_delay(delivery.id, delivery.attempts), delivery.expires_at),
      sealed_secret = case when result.outcome = 'retry' and delivery.attempts < 10 then delivery.sealed_secret end,
      leased_until = null, leased_by = null
    from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid, outcome text, error text)
    where delivery.tenant_id = result.tenant_id and delivery.id = result.id
      -- That it was sent is true also when the lease had ended meanwhile; anything else is then for whoever has it now to say.
      and (delivery.leased_by = p_instance or result.outcome = 'sent' and delivery.status <> 'sent')
    returning delivery.tenant_id, delivery.id, delivery.purpose, delivery.status
  )
  select count(*), jsonb_agg(to_jsonb(finished)) filter (where purpose = 'invitation' and status in ('sent', 'failed'))
  into v_finished, v_invitations
  from finished;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  return v_finished;
end
$$;
comment on function worker.finish_deliveries(timestamptz, text, jsonb) is
  'Records what became of deliveries that the instance claimed: an array of {tenant_id, id, outcome: sent, retry or failed, error?}. Tried again later and later; after ten attempts it has failed.';
revoke all on function worker.finish_deliveries(timestamptz, text, jsonb) from public;
grant execute on function worker.finish_deliveries(timestamptz, text, jsonb) to kith_worker;

create or replace function worker.drop_expired_deliveries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_dropped integer;
  v_invitations jsonb;
begin
  with expired as materialized (
    select delivery.tenant_id, delivery.id
    from kith.deliveries as delivery
    where delivery.status in ('queued', 'sending') and delivery.expires_at <= p_now
      and coalesce(delivery.leased_until, p_now) <= p_now
    order by delivery.expires_at
    limit p_batch
    for update skip locked
  ),
  dropped as (
    update kith.deliveries as delivery
    set status = 'dropped', error = coalesce(delivery.error || '; ', '') || 'expired', sealed_secret = null, leased_until = null,
      leased_by = null
    from expired
    where delivery.tenant_id = expired.tenant_id and delivery.id = expired.id
    returning delivery.tenant_id, delivery.id, delivery.purpose, delivery.status
  )
  select count(*), jsonb_agg(to_jsonb(dropped)) filter (where purpose = 'invitation')
  into v_dropped, v_invitations
  from dropped;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  return v_dropped;
end
$$;
comment on function worker.drop_expired_deliveries(timestamptz, integer) is
  'Drops what nobody needs any more, such as a code that has expired, once no worker is at it. Returns how many.';
revoke all on function worker.drop_expired_deliveries(timestamptz, integer) from public;
grant execute on function worker.drop_expired_deliveries(timestamptz, integer) to kith_worker;
