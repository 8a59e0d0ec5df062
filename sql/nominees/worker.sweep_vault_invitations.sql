create or replace function worker.sweep_vault_invitations(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  p_now := internal.present(p_now);
  with old as materialized (
    select tenant_id, user_id from kith.drafts where expires_at <= p_now order by expires_at limit p_batch for update skip locked
  )
  delete from kith.drafts as draft
  using old
  where draft.tenant_id = old.tenant_id and draft.user_id = old.user_id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.nominee_invitations
    where coalesce(ended_at, expires_at) < p_now - interval '90 days'
    order by coalesce(ended_at, expires_at) limit p_batch for update skip locked
  )
  delete from kith.nominee_invitations as invitation
  using old
  where invitation.tenant_id = old.tenant_id and invitation.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.transfers
    where coalesce(ended_at, expires_at) < p_now - interval '90 days'
    order by coalesce(ended_at, expires_at) limit p_batch for update skip locked
  )
  delete from kith.transfers as transfer
  using old
  where transfer.tenant_id = old.tenant_id and transfer.id = old.id;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;
comment on function worker.sweep_vault_invitations(timestamptz, integer) is
  'Deletes drafts when they expire, and nominee invitations and transfers 90 days after they ended or expired. Handles at most p_batch of each; returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep_vault_invitations(timestamptz, integer) from public;
grant execute on function worker.sweep_vault_invitations(timestamptz, integer) to kith_worker;
