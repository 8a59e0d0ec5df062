create policy "owners and nominees see the delays of their requests" on kith.emergency_delays
  for select
  to kith_api
  using (
    (
      select true from kith.emergency_requests as request
      where request.tenant_id = emergency_delays.tenant_id and request.id = emergency_delays.request_id
        and (request.owner_id = kith.user_id() or request.user_id = kith.user_id())
    )
  );
comment on policy "owners and nominees see the delays of their requests" on kith.emergency_delays is
  'Only definer procedures write delays.';

grant select on kith.emergency_delays to kith_api, kith_reader;
