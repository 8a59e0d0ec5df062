create policy "users see only their own preferences" on kith.notification_preferences
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own preferences" on kith.notification_preferences is
  'Only a definer procedure writes preferences, always as a whole. The API role may not delete rows.';

grant select on kith.notification_preferences to kith_api;
grant select on kith.notification_preferences to kith_reader;
