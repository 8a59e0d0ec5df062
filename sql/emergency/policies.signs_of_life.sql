create policy "users see only their own signs of life" on kith.signs_of_life
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own signs of life" on kith.signs_of_life is
  'For the export. Only definer procedures write them. When another person was last seen is nobody''s business.';

grant select on kith.signs_of_life to kith_api;
