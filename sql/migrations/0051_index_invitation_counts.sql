-- The counts of messages to a number hold its hash, so they are swept after a day, and not with the other counts after 90.
create index otp_counts_of_numbers on kith.otp_counts (counted_on) where scope like 'sms invitation to %';
comment on table kith.otp_counts is
  'How many messages a tenant asked for in a UTC day: one-time codes that were sent, capped or dropped (kept for 90 days), and invitations by SMS, in all and to each number by its hash (kept for the day).';
