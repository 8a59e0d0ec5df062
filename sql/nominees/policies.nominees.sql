create policy "owners see the nominees of their own vaults" on kith.nominees
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see the nominees of their own vaults" on kith.nominees is
  'Includes the contact details that the owner entered.';

create policy "nominees see their own row" on kith.nominees
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "nominees see their own row" on kith.nominees is
  'Includes a revoked row, which gives the reason. The policy reads no other table, because the policies of vaults '
  'read this one.';

grant select on kith.nominees to kith_api;
grant select on kith.nominees to kith_reader;
