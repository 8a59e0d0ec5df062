drop view if exists admin.code_space;
create view admin.code_space with (security_barrier, security_invoker) as
select tenant.slug as tenant, given.codes, round(given.codes / 10000.0, 2) as percent_used,
  given.codes > 500000 as warning
from kith.tenants as tenant
cross join lateral (
  select coalesce(
    (
      select size.codes from kith.tenant_sizes as size where size.tenant_id = tenant.tenant_id
      order by size.sampled_on desc limit 1
    ),
    (select count(*) from kith.unique_codes as code where code.tenant_id = tenant.tenant_id)
  ) as codes
) as given
where given.codes > 0;
comment on view admin.code_space is
  'How much of its million six-digit codes each tenant has given out, including codes that ended in the last 90 days. '
  'warning is true above half of them, because guesses then succeed too often and free codes are hard to find. '
  'Sampled: the worker counts them once a day; of a tenant without a sample they are counted now.';
comment on column admin.code_space.tenant is 'The tenant''s slug.';
comment on column admin.code_space.codes is 'The number of codes given out.';
comment on column admin.code_space.percent_used is 'The percentage of a million.';
comment on column admin.code_space.warning is 'Whether more than half are given out.';
grant select on admin.code_space to kith_reader;
