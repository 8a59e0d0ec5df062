create policy "both sides see the state of their own conversation" on kith.conversations
  for select
  to kith_api
  using (kith.user_id() in (owner_id, nominee_user_id));
comment on policy "both sides see the state of their own conversation" on kith.conversations is
  'As of messages: after a transfer, the new owner does not see the former owner''s conversations.';

grant select on kith.conversations to kith_api;
grant select on kith.conversations to kith_reader;
