drop view if exists admin.code_space;
create view admin.code_space with (security_barrier, security_invoker) as
select tenant.slug as tenant, count(*) as codes, round(count(*) / 10000.0, 2) as percent_used, count(*) > 500000 as warning
from kith.unique_codes as code
join kith.tenants as tenant on tenant.tenant_id = code.tenant_id
group by tenant.slug;
comment on view admin.code_space is
  'How much of its million six-digit codes each tenant has given out, including codes that ended in the last 90 days. warning is true '
  'above half of them, because guesses then succeed too often and free codes are hard to find.';
comment on column admin.code_space.tenant is 'The tenant''s slug.';
comment on column admin.code_space.codes is 'The number of codes given out.';
comment on column admin.code_space.percent_used is 'The percentage of a million.';
comment on column admin.code_space.warning is 'Whether more than half are given out.';
grant select on admin.code_space to kith_reader;
