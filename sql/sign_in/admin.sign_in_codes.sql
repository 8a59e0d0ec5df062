drop view if exists admin.sign_in_codes;
create view admin.sign_in_codes with (security_barrier, security_invoker) as
select tenant.slug as tenant, counts.counted_on, counts.scope, counts.codes
from kith.otp_counts as counts
join kith.tenants as tenant on tenant.tenant_id = counts.tenant_id;
comment on view admin.sign_in_codes is
  'One-time codes by tenant and UTC day: by email, by SMS, by SMS and country, the same for known devices, those '
  'refused by a cap and which, those dropped because sign-up is closed and no user has the address, and beside them '
  'the invitations by SMS.';
comment on column admin.sign_in_codes.tenant is 'The tenant''s slug.';
comment on column admin.sign_in_codes.counted_on is 'The UTC day.';
comment on column admin.sign_in_codes.scope is
  'What is counted: email, sms, sms by country, codes refused by a cap and which, dropped codes, or sms invitations.';
comment on column admin.sign_in_codes.codes is 'The number of messages.';
grant select on admin.sign_in_codes to kith_reader;
