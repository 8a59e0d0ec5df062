drop view if exists admin.inbound;
create view admin.inbound with (security_barrier, security_invoker) as
select tenant.slug as tenant, counts.channel, counts.counted_on, counts.outcome, sum(counts.count)::bigint as count
from kith.inbound_counts as counts
join kith.tenants as tenant on tenant.tenant_id = counts.tenant_id
group by tenant.slug, counts.channel, counts.counted_on, counts.outcome;
comment on view admin.inbound is
  'How many answers each tenant''s providers have forwarded, by date and by what became of them. Many of '
  'unknown_number or not_understood say that something is wrong: a number that several apps share, or a message that '
  'asks for something else.';
comment on column admin.inbound.tenant is 'The tenant''s slug.';
comment on column admin.inbound.channel is 'sms or voice.';
comment on column admin.inbound.counted_on is 'The date (UTC).';
comment on column admin.inbound.outcome is
  'check_in, help, take, safe, stop, start, info; several: it changed nothing, because it can mean more than one '
  'thing, is about an alarm that is over, or comes from somebody whose call for help goes on; not_understood: answered '
  'by what can be; unknown_number: no verified phone of a user; unknown_call: a key in no call that Kith has made; '
  'repeated: the provider sent it before; no_key and machine: calls without an answer.';
comment on column admin.inbound.count is 'How many.';
grant select on admin.inbound to kith_reader;

drop view if exists admin.stopped_numbers;
create view admin.stopped_numbers with (security_barrier, security_invoker) as
select tenant.slug as tenant, known.phone, known.stopped_at, person.id as user_id
from kith.text_numbers as known
join kith.tenants as tenant on tenant.tenant_id = known.tenant_id
left join kith.users as person
  on person.tenant_id = known.tenant_id and person.phone = known.phone and person.phone_verified_at is not null
    and person.deleted_at is null
where known.stopped_at is not null;
comment on view admin.stopped_numbers is
  'The phone numbers that have answered STOP to a tenant. No text message goes to them, sign-in codes included, until '
  'they answer START.';
comment on column admin.stopped_numbers.tenant is 'The tenant''s slug.';
comment on column admin.stopped_numbers.phone is 'The number (E.164).';
comment on column admin.stopped_numbers.stopped_at is 'When it answered STOP.';
comment on column admin.stopped_numbers.user_id is 'The user whose verified phone it is; null if none.';
grant select on admin.stopped_numbers to kith_reader;
