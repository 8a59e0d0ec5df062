-- A browser says its origin as scheme, host and port, without a path or a last slash: anything else would never match. What was
-- written before there was this rule is mended where a slash or a capital letter stands in the way, and else left out.
update kith.tenants set allowed_origins = array(
  select mended.origin
  from unnest(allowed_origins) with ordinality as given (origin, n)
  cross join lateral (select lower(rtrim(given.origin, '/')) as origin) as mended
  where mended.origin ~ '^https?://[a-z0-9.-]+(:[0-9]{1,5})?$'
  order by given.n
)
where allowed_origins <> '{}';
alter table kith.tenants add constraint tenants_origins_are_origins check (
  array_position(allowed_origins, null) is null
  and array_to_string(allowed_origins, ' ') ~ '^(https?://[a-z0-9.-]+(:[0-9]{1,5})?( https?://[a-z0-9.-]+(:[0-9]{1,5})?)*)?$'
);
create index tenants_by_origin on kith.tenants using gin (allowed_origins);
comment on column kith.tenants.allowed_origins is 'Web origins whose scripts may call the API from a browser, such as https://app.example.com.';
