create table kith.jwt_issuers (
  tenant_id integer not null references kith.tenants,
  issuer text not null,
  audience text not null,
  claimed_at timestamptz not null,
  constraint jwt_issuers_pkey primary key (tenant_id, issuer, audience)
);
create unique index jwt_issuers_are_one_tenants on kith.jwt_issuers (issuer, audience);
comment on table kith.jwt_issuers is
  'Whose tokens of an issuer for an audience are: of the one tenant that has live keys of it. The unique index reaches over tenants on purpose: it decides between two that come at once.';

-- Where two tenants had registered the same, it is that of who was first; the other one's tokens need X-Kith-Tenant as before.
insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
select distinct on (issuer, audience) tenant_id, issuer, audience, created_at
from kith.jwt_keys
where not own and revoked_at is null
order by issuer, audience, created_at, tenant_id;

alter table kith.otp_codes
  add column address_is_hashed boolean not null default false,
  drop constraint otp_codes_of_a_contact_have_their_user,
  add constraint otp_codes_of_a_contact_have_their_user check (
    address_is_hashed and user_id is null or (purpose = 'contact') = (user_id is not null)
  );
create index otp_codes_hashed_by_age on kith.otp_codes (created_at) where address_is_hashed;
comment on column kith.otp_codes.address_is_hashed is
  'Its account has ended: the address is a hash, under which the code still counts for the limits of its day, and it is of no other use.';

create index refresh_tokens_by_end on kith.refresh_tokens (expires_at);
create index otp_counts_by_day on kith.otp_counts (counted_on);
