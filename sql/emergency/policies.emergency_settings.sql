create policy "owners see the rights that they gave" on kith.emergency_settings
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see the rights that they gave" on kith.emergency_settings is
  'Only definer procedures write settings. They show a nominee what the owner made visible.';

grant select on kith.emergency_settings to kith_api, kith_reader;
