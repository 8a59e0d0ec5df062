create or replace function admin.delete_user(
  p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean default false, p_now timestamptz default now()
)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_present(p_now);
  perform internal.enter_tenant(p_tenant);
  perform internal.delete_user(p_user, internal.operator(), jsonb_build_object('reason', p_reason), p_delete_vaults, p_now);
  perform internal.leave_tenant();
end
$$;
comment on function admin.delete_user(text, uuid, text, boolean, timestamptz) is
  'Deletes a user''s account as the user would; this cannot be undone. If the user owns vaults that others have access to, it is refused '
  'unless p_delete_vaults is true. The reason is kept in the audit and must not contain names.';
grant execute on function admin.delete_user(text, uuid, text, boolean, timestamptz) to kith_admin;
