create policy "owners see their own vaults" on kith.vaults
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see their own vaults" on kith.vaults is
  'Includes deleted vaults, which can be restored.';

grant select on kith.vaults to kith_api;
grant select on kith.vaults to kith_admin;
