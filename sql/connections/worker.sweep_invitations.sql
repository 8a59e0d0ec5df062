create or replace function worker.sweep_invitations(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  return internal.work_off('sweep_invitations.delete', array(
    select invitation
    from kith.connection_invitations as invitation
    where invitation.created_at < p_now - interval '90 days'
      and not exists (
        select from internal.shut_out('sweep_invitations', invitation.tenant_id, invitation.id::text, p_now)
      )
    order by invitation.created_at
    limit p_batch
    for update of invitation skip locked
  ), null, p_now);
end
$$;
comment on function worker.sweep_invitations(timestamptz, integer) is
  'Deletes invitations after 90 days, with their recipients and the texts that Kith sent, because the phone numbers '
  'belong to people who are not users. Handles at most p_batch; returns how many. Security definer, because the worker '
  'may not read them.';
grant execute on function worker.sweep_invitations(timestamptz, integer) to kith_worker;
