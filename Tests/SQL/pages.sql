-- Pages are public: they find their tenant by host, or else by slug.
begin;
\ir people.sql
select plan(11);

select tests.as_server('acme');
select is(
  api.update_tenant('{"app_ids": ["ABCDE12345.example.acme"], "app_link": "https://apps.example/acme"}', '2026-03-10T08:00:00Z') ->> 'app_link',
  'https://apps.example/acme', 'a tenant sets the link of its pages'
);
select tests.as_superuser();
update kith.tenants set universal_link_host = 'join.acme.example' where slug = 'acme';
select tests.as_server('globex');
select isnt(
  api.update_tenant('{"brand_name": "Globe"}', '2026-03-10T08:00:00Z')::jsonb, null, 'another tenant has another brand'
);

select tests.as_role('kith_api');
prepare page as select api.page_tenant($1, $2, $3, 'https://kith.example')::jsonb - 'tenant_id';
select results_eq(
  $$ execute page('join.acme.example', null, '012345') $$,
  $$
    values ('{"slug": "acme", "default_region": null, "status": "active", "brand_name": "PRUUF", "brand_color": null, "brand_mark": null, "join_url": "https://pruuf.app/join?code=012345",
      "app_link": "https://apps.example/acme", "sign_in_url": null, "redirect_url": null, "app_ids": ["ABCDE12345.example.acme"], "wording": null}'::jsonb)
  $$,
  'the host finds the tenant and reveals only public values'
);
select is(
  api.page_tenant('elsewhere.example', 'globex', null, 'https://kith.example')::jsonb - 'tenant_id',
  '{"slug": "globex", "default_region": null, "status": "active", "brand_name": "Globe", "brand_color": null, "brand_mark": null, "join_url": "https://pruuf.app/join", "app_link": null, "sign_in_url": null, "redirect_url": null, "app_ids": [], "wording": null}',
  'on a host without a tenant the slug finds the tenant'
);
select is(
  api.page_tenant('join.acme.example', 'globex', null, 'https://kith.example') ->> 'brand_name', 'PRUUF', 'a tenant''s host never shows another tenant'
);
select results_eq(
  $$ execute page('elsewhere.example', 'nobody', null) $$, $$ values (null::jsonb) $$, 'an unknown host and slug find no tenant'
);
select results_eq($$ execute page(null, null, null) $$, $$ values (null::jsonb) $$, 'without host and slug there is no tenant');
select tests.as_superuser();
update kith.tenants set join_redirects = true where slug = 'acme';
select tests.as_role('kith_api');
select is(
  api.page_tenant(null, 'acme', '012345', 'https://kith.example') ->> 'redirect_url', 'https://apps.example/acme',
  'the join page of a tenant that wants it leads to the app''s link'
);
select is(
  (select array_agg(api.page_tenant(host, slug, null, public_url) ->> 'redirect_url') from (values
    ('Apps.example', 'acme', 'https://kith.example'), ('kith.example', 'acme', 'https://apps.example:8443')
  ) as pages (host, slug, public_url)), array[null, null]::text[], 'the join page never leads to this server''s own pages'
);
select tests.as_superuser();
update kith.tenants set status = 'suspended' where slug = 'acme';
select tests.as_role('kith_api');
select is(
  api.page_tenant(null, 'acme', null, 'https://kith.example') ->> 'redirect_url', null, 'the join page of a suspended tenant leads nowhere'
);
select tests.as_superuser();
update kith.tenants set status = 'suspended' where slug = 'acme';
update kith.tenants set deleted_at = '2026-03-10T08:00:00Z' where slug = 'globex';
select tests.as_role('kith_api');
select results_eq(
  $$ select api.page_tenant(null, 'acme', null, 'https://kith.example') ->> 'status', api.page_tenant(null, 'globex', null, 'https://kith.example')::jsonb $$,
  $$ values ('suspended', null::jsonb) $$, 'a suspended tenant is reported, and a deleted one is not found'
);

select * from finish();
rollback;
