create or replace function api.delete_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.require_owner(p_id, p_now);
  perform internal.lock_vault_row(p_id);
  -- The vault may have got another owner while this call waited for the lock.
  perform internal.require_owner(p_id, p_now);
  perform internal.delete_vault(p_id, 'user:' || kith.user_id(), p_now);
  return null;
end
$$;
comment on function api.delete_vault(uuid, timestamptz) is
  'Deletes a vault, for its owner, who can restore it within 30 days. Security definer, because it ends other users'' '
  'sessions and tokens.';
grant execute on function api.delete_vault(uuid, timestamptz) to kith_api;
