-- Two tenants could have keys of one issuer for different audiences, and then a token for both audiences was nobody's: whoever registered
-- the second signed out the users of the first. From now on an issuer is one tenant's, as the row with the empty audience says, except
-- for those that sign for everybody's apps.
create table kith.shared_issuers (
  issuer text not null constraint shared_issuers_pkey primary key,
  shared_at timestamptz not null
);
comment on table kith.shared_issuers is
  'Issuers that sign tokens for the apps of many tenants, each with its own audience: big sign-in services. The installation''s own; the operator says which.';
insert into kith.shared_issuers (issuer, shared_at)
select issuer, now()
from unnest(array[
  'https://accounts.google.com', 'accounts.google.com', 'https://appleid.apple.com', 'https://www.facebook.com',
  'https://limited.facebook.com', 'https://access.line.me',
  'https://login.microsoftonline.com/9188040d-6c67-4b59-b112-36a4b66dad04/v2.0'
]) as issuer;

-- Where several tenants have one today, the first one owns it; what the others have registered stays theirs.
insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
select distinct on (issuer) tenant_id, issuer, '', claimed_at
from kith.jwt_issuers
where issuer not in (select issuer from kith.shared_issuers)
order by issuer, claimed_at, tenant_id;
comment on table kith.jwt_issuers is
  'Whose an issuer is, in the row with the empty audience, and whose its tokens for an audience are: of the one tenant that has live keys of it. The unique index reaches over tenants on purpose: it decides between two that come at once.';
comment on column kith.jwt_issuers.audience is 'Empty for the issuer itself, which no other tenant may register then. A shared issuer has no such row.';
