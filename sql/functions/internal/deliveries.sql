-- What leaves Kith: the outbox, and the texts that go out. Issue by issue more will hang on it; the texts stand here only.

create or replace function internal.delivery_text(p_purpose text, p_channel text, p_brand text, p_host text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_purpose
      when 'sign_in_code' then p_brand || ' code: {code}. It is valid for 10 minutes. Do not share it.'
      when 'contact_code' then
        p_brand || ' code: {code}. It confirms your new ' || case p_channel when 'sms' then 'phone number' else 'e-mail address' end
          || ' and is valid for 10 minutes. Do not share it.'
    end
    -- Domain-bound: a phone fills such a code in by itself, and only for this host.
    || case when p_channel = 'sms' and p_host is not null then e'\n\n@' || p_host || ' #{code}' else '' end
$$;
comment on function internal.delivery_text(text, text, text, text) is
  'The text of a message that carries a code, with {code} where the secret goes; null for another purpose.';
revoke all on function internal.delivery_text(text, text, text, text) from public;

create or replace function internal.delivery_subject(p_purpose text, p_brand text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_purpose when 'sign_in_code' then 'Your ' || p_brand || ' code' when 'contact_code' then 'Confirm your e-mail address for ' || p_brand end
$$;
comment on function internal.delivery_subject(text, text) is
  'The subject of an e-mail that carries a code; null for another purpose. Never the code itself: subjects stand on locked screens.';
revoke all on function internal.delivery_subject(text, text) from public;

create or replace function internal.queue_delivery(
  p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text,
  p_expires_at timestamptz, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, subject, body, sealed_secret, status, error, next_attempt_at, expires_at, created_at
  )
  values (
    v_tenant, p_id, p_channel, p_purpose, p_address, p_subject, p_body, case when p_dropped_for is null then p_sealed_secret end,
    case when p_dropped_for is null then 'queued' else 'dropped' end, p_dropped_for, p_now, p_expires_at, p_now
  );
end
$$;
comment on function internal.queue_delivery(uuid, text, text, text, text, text, bytea, text, timestamptz, timestamptz) is
  'Writes a message into the outbox, in the transaction of its cause; p_dropped_for says why it is not to be sent, null that it is. For definer procedures: nobody else may insert there.';
revoke all on function internal.queue_delivery(uuid, text, text, text, text, text, bytea, text, timestamptz, timestamptz) from public;

create or replace function internal.retry_delay(p_id uuid, p_attempts integer) returns interval
  language sql
  immutable
  parallel safe
as $$
  -- 5, 10, 20 … seconds up to an hour, times 0.75 to 1.25 by the random bits of the id: what failed together comes back apart.
  select least(5 * 2 ^ (p_attempts - 1), 3600) * (0.75 + ('x' || right(p_id::text, 6))::bit(24)::integer / 33554432.0) * interval '1 second'
$$;
comment on function internal.retry_delay(uuid, integer) is
  'How long a delivery waits after so many failed attempts: exponential, with a jitter that is the delivery''s own and always the same.';
revoke all on function internal.retry_delay(uuid, integer) from public;
grant execute on function internal.retry_delay(uuid, integer) to kith_worker;
