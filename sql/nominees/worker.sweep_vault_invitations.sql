create or replace function worker.sweep_vault_invitations(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  return internal.work_off('sweep_vault_invitations.delete', array(
    select draft
    from kith.drafts as draft
    where draft.expires_at <= p_now
      and not exists (
        select from internal.shut_out('sweep_vault_invitations', draft.tenant_id, draft.user_id::text, p_now)
      )
    order by draft.expires_at
    limit p_batch
    for update of draft skip locked
  ), null, p_now) + internal.work_off('sweep_vault_invitations.delete', array(
    select invitation
    from kith.nominee_invitations as invitation
    where case
      when invitation.ended_at is null then invitation.expires_at
      else invitation.ended_at
    end < p_now - interval '90 days'
      and not exists (
        select from internal.shut_out('sweep_vault_invitations', invitation.tenant_id, invitation.id::text, p_now)
      )
    order by case when invitation.ended_at is null then invitation.expires_at else invitation.ended_at end
    limit p_batch
    for update of invitation skip locked
  ), null, p_now) + internal.work_off('sweep_vault_invitations.delete', array(
    select transfer
    from kith.transfers as transfer
    where case
      when transfer.ended_at is null then transfer.expires_at
      else transfer.ended_at
    end < p_now - interval '90 days'
      and not exists (
        select from internal.shut_out('sweep_vault_invitations', transfer.tenant_id, transfer.id::text, p_now)
      )
    order by case when transfer.ended_at is null then transfer.expires_at else transfer.ended_at end
    limit p_batch
    for update of transfer skip locked
  ), null, p_now);
end
$$;
comment on function worker.sweep_vault_invitations(timestamptz, integer) is
  'Deletes drafts when they expire, and nominee invitations and transfers 90 days after they ended or expired. Handles '
  'at most p_batch of each; returns how many. Security definer, because the worker may not read them.';
grant execute on function worker.sweep_vault_invitations(timestamptz, integer) to kith_worker;
