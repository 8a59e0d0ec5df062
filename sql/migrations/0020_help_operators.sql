-- What an operator asks at night: when a provider is tried again, and when a message was dropped.

alter table kith.channel_credentials add column next_try_at kith.instant;
comment on column kith.channel_credentials.next_try_at is
  'Until when the worker that wrote error last sends nothing to the provider (its circuit breaker); null while it sends. Each worker has its own.';

comment on column kith.deliveries.next_attempt_at is
  'When a worker may claim the delivery. During a lease it is the end of the lease, or up to a minute later if the lease before ended without a result. '
  'Of a delivery that was dropped or given up after it had waited, it is when.';
