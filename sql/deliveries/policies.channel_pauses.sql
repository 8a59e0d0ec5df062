grant select on kith.channel_pauses to kith_reader;

create policy "operators of one tenant see the pauses for all" on kith.channel_pauses for select to kith_reader
  using (tenant_id = 0);
comment on policy "operators of one tenant see the pauses for all" on kith.channel_pauses is
  'A channel that is paused for all is paused for their tenant too.';
