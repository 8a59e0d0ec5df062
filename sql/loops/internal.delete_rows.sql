-- The last step of the worker's sweeps: each deletes the rows that its claim has locked. There is one for each kind of
-- rows.

create or replace function internal.delete_rows(p_rows kith.otp_tries[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.otp_tries as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.otp_tries[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.text_invitations[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.text_invitations as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.text_invitations[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.code_attempts[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.code_attempts as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.code_attempts[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.refresh_tokens[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.refresh_tokens as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.refresh_tokens[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.token_families[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.token_families as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.token_families[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.nominee_invitations[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.nominee_invitations as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.nominee_invitations[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.transfers[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.transfers as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.transfers[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.document_versions[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.document_versions as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.document_versions[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.feedback[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.feedback as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.feedback[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.emergency_requests[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.emergency_requests as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.emergency_requests[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.alarms[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  with gone as (
    delete from kith.alarms as one
    using unnest(p_rows) as old
    where one.tenant_id = old.tenant_id and one.id = old.id and one.resolved_at is not null
    returning one.tenant_id, one.id
  )
  delete from kith.alarm_receivers as receiver
  using gone
  where receiver.tenant_id = gone.tenant_id and receiver.alarm_id = gone.id;
  -- Those that were opened again meanwhile stay.
  v_deleted := cardinality(p_rows);
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.alarms[]) is
  'Deletes the given rows with their receivers and entries. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.asks[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.asks as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.asks[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.card_views[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.card_views as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.user_id = old.user_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.card_views[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.places[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.places as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.user_id = old.user_id and one.received_at = old.received_at;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.places[]) is
  'Deletes the given rows, unless there is a newer place meanwhile. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.drafts[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.drafts as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.user_id = old.user_id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.drafts[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.undelivered_alarms[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.undelivered_alarms as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.notification_id = old.notification_id and one.user_id = old.user_id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.undelivered_alarms[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.otp_counts[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.otp_counts as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.counted_on = old.counted_on and one.scope = old.scope;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.otp_counts[]) is
  'Deletes the given rows. Returns how many. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.idempotency_keys[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.idempotency_keys as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.caller = old.caller and one.key = old.key
    and one.expires_at = old.expires_at;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.idempotency_keys[]) is
  'Deletes the given kept answers, unless they were kept anew meanwhile. Returns how many. For worker.sweep, which '
  'does not lock them.';

create or replace function internal.delete_rows(p_rows kith.otp_codes[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.deliveries as delivery
  using unnest(p_rows) as old
  where delivery.tenant_id = old.tenant_id and delivery.id = old.id;
  delete from kith.otp_codes as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.otp_codes[]) is
  'Deletes the given one-time codes with their deliveries. Returns how many codes. For a sweep of the worker.';

create or replace function internal.delete_rows(p_rows kith.connection_invitations[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.deliveries as delivery
  using unnest(p_rows) as old
  join kith.connection_invitation_recipients as recipient
    on recipient.tenant_id = old.tenant_id and recipient.invitation_id = old.id and recipient.delivery_id is not null
  where delivery.tenant_id = recipient.tenant_id and delivery.id = recipient.delivery_id;
  delete from kith.connection_invitations as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.connection_invitations[]) is
  'Deletes the given invitations with their recipients and the texts that Kith sent. Returns how many. For a sweep of '
  'the worker.';

create or replace function internal.delete_rows(p_rows kith.documents[]) returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
begin
  delete from kith.document_versions as version
  using unnest(p_rows) as old
  where version.tenant_id = old.tenant_id and version.document_id = old.id;
  delete from kith.documents as one
  using unnest(p_rows) as old
  where one.tenant_id = old.tenant_id and one.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.delete_rows(kith.documents[]) is
  'Deletes the given documents with their versions. Returns how many documents. For a sweep of the worker.';
