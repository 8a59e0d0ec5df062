create or replace function worker.sweep_invitations(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_swept integer;
begin
  p_now := internal.present(p_now);
  with old as materialized (
    select tenant_id, id from kith.connection_invitations
    where created_at < p_now - interval '90 days'
    order by created_at limit p_batch for update skip locked
  ), deliveries as (
    delete from kith.deliveries as delivery
    using old
    join kith.connection_invitation_recipients as recipient
      on recipient.tenant_id = old.tenant_id and recipient.invitation_id = old.id and recipient.delivery_id is not null
    where delivery.tenant_id = recipient.tenant_id and delivery.id = recipient.delivery_id
  )
  delete from kith.connection_invitations as invitation
  using old
  where invitation.tenant_id = old.tenant_id and invitation.id = old.id;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$$;
comment on function worker.sweep_invitations(timestamptz, integer) is
  'Deletes invitations after 90 days, with their recipients and the texts that Kith sent, because the phone numbers belong to people who are not users. Handles at most p_batch; returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep_invitations(timestamptz, integer) from public;
grant execute on function worker.sweep_invitations(timestamptz, integer) to kith_worker;
