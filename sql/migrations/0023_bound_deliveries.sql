-- What sends a worker to its end is not sent for ever, and a user's text messages have a bound.

-- What takes long comes first, while nobody has to wait for it.

-- Its path may hold a secret.
update kith.audit
set detail = jsonb_set(detail, '{url}', to_jsonb(regexp_replace(detail ->> 'url', '^https://([^/?#]*@)?([^/?#]*).*', 'https://\2/…')))
where action = 'webhook.create' and detail ? 'url';

create index deliveries_of_texts on kith.deliveries (tenant_id, address, id)
  where channel = 'sms' and purpose = 'notification' and not is_urgent and status <> 'dropped';

alter table kith.deliveries add column unanswered integer not null default 0;
comment on column kith.deliveries.unanswered is
  'How often in a row it was claimed without a word of what became of it; the claim that is under way counts. 5 end it: it may be what ends the workers.';
comment on column kith.deliveries.next_attempt_at is
  'From then on a worker may claim it: while it is leased, the end of the lease, or up to a minute later where the lease before ended without a word.';
create index deliveries_unanswered on kith.deliveries (leased_until) where status = 'sending' and unanswered >= 5;

alter table kith.tenants
  add column sms_notifications_per_user_per_day integer not null default 20
    constraint tenants_sms_notifications_in_bounds check (sms_notifications_per_user_per_day between 0 and 10000);
comment on column kith.tenants.sms_notifications_per_user_per_day is
  'How many notifications one user gets by SMS in 24 hours, of the types that respect quiet hours: each one costs. What breaks through them is not counted.';
