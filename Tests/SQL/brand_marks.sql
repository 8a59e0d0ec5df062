-- The picture beside a tenant's name: what is accepted, what is left of it, and who sees it.
begin;
\ir people.sql
select plan(46);

-- A chunk of a PNG. Nobody reads its check sum but a decoder.
create function tests.chunk(p_name text, p_data bytea default '') returns bytea
  language sql
as $$
  select int4send(octet_length(p_data)) || convert_to(p_name, 'UTF8') || p_data || '\x00000000'
$$;
create function tests.header(p_width bigint, p_height bigint, p_rest bytea default '\x0806000000') returns bytea
  language sql
as $$
  select tests.chunk('IHDR', substr(int8send(p_width), 5) || substr(int8send(p_height), 5) || p_rest)
$$;
create function tests.png(variadic p_chunks bytea[]) returns bytea
  language sql
as $$
  select '\x89504e470d0a1a0a' || (select string_agg(chunk, '' order by n) from unnest(p_chunks) with ordinality as given (chunk, n))
$$;
-- The end of every PNG, with its check sum.
create function tests.ending() returns bytea language sql as $$ select bytea '\x0000000049454e44ae426082' $$;
create function tests.set_mark(p_mark text) returns text
  language plpgsql
as $$
begin
  return api.update_tenant(jsonb_build_object('brand_mark', p_mark), '2026-03-10T08:00:00Z') ->> 'brand_mark';
end
$$;
create function tests.set_mark(p_png bytea) returns text
  language sql
as $$
  select tests.set_mark(encode(p_png, 'base64'))
$$;
-- Why a mark is refused.
create function tests.refusal(p_mark text) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform tests.set_mark(p_mark);
  return null;
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail::jsonb #>> '{0,field}' || ' ' || (v_detail::jsonb #>> '{0,message}');
end
$$;
create function tests.refusal(p_png bytea) returns text
  language sql
as $$
  select tests.refusal(encode(p_png, 'base64'))
$$;
-- A black square, whole.
\set square '''iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC'''

select tests.as_server('acme');
select is(tests.set_mark(:square), '/assets/mark-acme-64-da19be659d261a30.png', 'a square PNG is kept, and the answer has its path');
select is(api.get_tenant() ->> 'brand_mark', '/assets/mark-acme-64-da19be659d261a30.png', 'which the settings have');
select is(tests.set_mark('/assets/mark-acme-64-da19be659d261a30.png'), '/assets/mark-acme-64-da19be659d261a30.png', 'sent back, it changes nothing');
select is(tests.set_mark(e'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxz\nAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC\n'),
  '/assets/mark-acme-64-da19be659d261a30.png', 'base64 may have lines');

select tests.as_role('kith_api');
select results_eq(
  $$ select path, encode(picture, 'base64') from api.brand_mark('kith.example', 'acme') $$,
  format($$ values ('/assets/mark-acme-64-da19be659d261a30.png', %L) $$, encode(decode(:square, 'base64'), 'base64')), 'anybody sees it'
);
select is(api.page_tenant(null, 'acme', null, 'https://kith.example') ->> 'brand_mark', '/assets/mark-acme-64-da19be659d261a30.png', 'pages lead to it');
select is_empty($$ select * from api.brand_mark(null, 'globex') $$, 'another tenant has none');
select is_empty($$ select * from api.brand_mark(null, 'nobody') $$, 'nor has an unknown one');
select throws_ok($$ select picture from kith.brand_marks $$, '42501', null, 'a request reads no picture but by that procedure');
select tests.as_superuser();
update kith.tenants set universal_link_host = slug || '.example' where slug in ('acme', 'globex');
select tests.as_role('kith_api');
select is_empty($$ select * from api.brand_mark('globex.example', 'acme') $$, 'on the host of another tenant it would look like theirs');
select isnt_empty($$ select * from api.brand_mark('acme.example', 'acme') $$, 'on its own it is');
select tests.as_server('globex');
select is(
  tests.refusal('/assets/mark-acme-64-da19be659d261a30.png'),
  'brand_mark must be a PNG picture in base64, without "data:" before it; convert an SVG, a JPEG or a WebP to PNG first', 'the path of another tenant''s is no picture'
);

-- What is refused says what to send instead.
select is(
  (select array_agg(distinct tests.refusal(mark)) from unnest(array[
    '', ' ', '%', 'abc', 'true', '[]', 'data:image/png;base64,' || :square, encode('<svg xmlns="http://www.w3.org/2000/svg"/>', 'base64'),
    encode('<?xml version="1.0"?><svg width="64" height="64" onload="alert(1)"></svg>', 'base64'), encode('\xffd8ffe000104a46494600010100000100010000', 'base64'),
    encode('GIF89a' || repeat('x', 100)::bytea, 'base64'), encode('\x89504e470d0a1a0a', 'base64'), encode(tests.png(tests.chunk('IDAT', 'x'), tests.ending()), 'base64')
  ]) as mark),
  array['brand_mark must be a PNG picture in base64, without "data:" before it; convert an SVG, a JPEG or a WebP to PNG first'], 'what is no PNG'
);
select throws_ok(
  $$ select api.update_tenant('{"brand_mark": {"png": "x"}}', '2026-03-10T08:00:00Z') $$, 'KT422', 'validation_failed', 'what is no text'
);
select is(
  tests.refusal(tests.png(tests.header(64, 64), tests.chunk('IDAT', decode(repeat('00', 30000), 'hex')), tests.ending())),
  'brand_mark must be a PNG of at most 24 KiB, and has 30 KiB; 192 × 192 pixels are enough, with a palette of few colours', 'a large one'
);
select is(
  tests.refusal(tests.png(tests.header(300, 200), tests.chunk('IDAT', 'x'), tests.ending())),
  'brand_mark must be a square, and has 300 × 200 pixels; add a margin at its longer sides', 'an oblong one'
);
select is(
  (select array_agg(tests.refusal(tests.png(tests.header(side, side), tests.chunk('IDAT', 'x'), tests.ending())) order by side)
   from unnest(array[0, 63, 513, 65536, 4294967295]) as side),
  (select array_agg(format('brand_mark must have from 64 to 512 pixels on each side, and has %s; 192 look sharp on a Home Screen', side) order by side)
   from unnest(array[0, 63, 513, 65536, 4294967295]) as side),
  'one of too few pixels, or of so many that they fill the memory of whoever opens the page'
);
select is(
  (select array_agg(distinct tests.refusal(png)) from unnest(array[
    tests.png(tests.header(64, 64)), tests.png(tests.header(64, 64), tests.chunk('IDAT', 'x')), tests.png(tests.header(64, 64), tests.ending()),
    -- The second of two headers is that of a picture that fills the memory.
    tests.png(tests.header(64, 64), tests.header(65536, 65536), tests.chunk('IDAT', 'x'), tests.ending()),
    -- A chunk that reaches beyond the end, and one whose length is negative to many programs.
    tests.png(tests.header(64, 64), tests.chunk('IDAT', 'x'), '\x000000ff49444154', tests.ending()),
    tests.png(tests.header(64, 64), tests.chunk('IDAT', 'x'), '\xffffffff49444154', tests.ending())
  ]) as png),
  array['brand_mark must be a whole PNG picture, and this one is damaged or cut off; export it again'], 'one that is cut off or has two headers'
);
select is(
  (select array_agg(rest) from unnest(array[
    '\x0306000000', '\x0802000100', '\x0802010000', '\x0802000002', '\x0101000000', '\x1003000000', '\x0805000000', '\xffffffffff'
  ]::bytea[]) as rest where tests.refusal(tests.png(tests.header(64, 64, rest), tests.chunk('IDAT', 'x'), tests.ending())) is null),
  null, 'one of a kind that there is not'
);
select is(
  (select array_agg(rest) from unnest(array[
    '\x0100000000', '\x0802000000', '\x1002000000', '\x0103000000', '\x0803000000', '\x0804000000', '\x0806000001', '\x1006000001'
  ]::bytea[]) as rest where tests.refusal(tests.png(tests.header(64, 64, rest), tests.chunk('IDAT', 'x'), tests.ending())) is not null),
  null, 'each of the kinds that there are is accepted'
);
select is(
  (select array_agg(side) from unnest(array[64, 100, 192, 512]) as side
   where tests.refusal(tests.png(tests.header(side, side), tests.chunk('IDAT', 'x'), tests.ending())) is not null), null, 'and each size'
);
select is(
  tests.refusal(tests.png(tests.header(64, 64), tests.chunk('IDAT', decode(repeat('00', 24576 - 8 - 25 - 12 - 12), 'hex')), tests.ending())), null, '24 KiB are not too much'
);

-- What is kept draws the picture, and nothing else.
select tests.as_superuser();
select is(
  internal.bare_png(
    tests.png(
      tests.header(64, 64), tests.chunk('tEXt', 'Author' || '\x00'::bytea || 'Alice'), tests.chunk('eXIf', 'where Alice lives'), tests.chunk('iCCP', 'packed'),
      tests.chunk('acTL', '\x0000000200000000'), tests.chunk('PLTE', '\x000000'), tests.chunk('tRNS', '\x00'), tests.chunk('IDAT', 'one'),
      tests.chunk('fdAT', 'another'), tests.chunk('IDAT', 'two'), tests.chunk('XXXX', '<script>alert(1)</script>'), tests.chunk('IEND', '<script>')
    ) || '<html><script>alert(1)</script>PK'::bytea
  ),
  tests.png(
    tests.header(64, 64), tests.chunk('PLTE', '\x000000'), tests.chunk('tRNS', '\x00'), tests.chunk('IDAT', 'one'), tests.chunk('IDAT', 'two'), tests.ending()
  ),
  'texts, places, profiles, animations, and what hides behind the end, are cut off'
);
select is(internal.bare_png(decode(:square, 'base64')), decode(:square, 'base64'), 'a bare picture stays as it is');
select is(internal.bare_png('\x89504e470d0a1a0a'), null, 'and nothing has no picture');
select tests.as_server('globex');
select is(
  tests.set_mark(tests.png(tests.header(512, 512), tests.chunk('tEXt', 'Alice'), tests.chunk('IDAT', 'x'), tests.ending())),
  tests.set_mark(tests.png(tests.header(512, 512), tests.chunk('tEXt', 'Bob'), tests.chunk('IDAT', 'x'), tests.ending())),
  'the path is that of what is kept'
);
select is(
  api.get_tenant() ->> 'brand_mark',
  '/assets/mark-globex-512-' || left(encode(sha256(tests.png(tests.header(512, 512), tests.chunk('IDAT', 'x'), tests.ending())), 'hex'), 16) || '.png',
  'with its size and the beginning of its hash'
);

select tests.as_superuser();
select is(
  (select array_agg(octet_length(to_jsonb(audit)::text) order by id) from kith.audit where action = 'tenant.update' and octet_length(to_jsonb(audit)::text) > 2000), null,
  'no line of the audit has a picture'
);
select ok(
  exists (select from kith.audit where action = 'tenant.update' and to_jsonb(audit)::text like '%64-da19be659d261a30%'), 'but which one it was'
);
select is((select brand_mark from kith.tenants where slug = 'acme'), '64-da19be659d261a30', 'nor has the row of the tenant');
select is((select count(*) from kith.brand_marks), 2::bigint, 'each tenant has one');
select throws_ok(
  $$ update kith.brand_marks set picture = '<svg/>' $$, '23514', null, 'the table has no picture of another kind'
);
select throws_ok(
  $$ update kith.brand_marks set picture = '\x89504e470d0a1a0a' || decode(repeat('00', 24576), 'hex') $$, '23514', null, 'and no larger one'
);
select is(
  decode(internal.tenant_settings(tenants) ->> 'brand_mark', 'base64'), decode(:square, 'base64'), 'it moves with the settings of the tenant, by whose rules it is read'
) from kith.tenants where slug = 'acme';
select internal.begin_import(internal.leaving_tenant('acme', true, '2026-03-10T08:00Z') || '{"slug": "restored"}', '2026-03-10T08:00Z') \g /dev/null
select results_eq(
  $$ select tenant.brand_mark, mark.picture from kith.tenants as tenant join kith.brand_marks as mark on mark.tenant_id = tenant.tenant_id where slug = 'restored' $$,
  $$ select tenant.brand_mark, mark.picture from kith.tenants as tenant join kith.brand_marks as mark on mark.tenant_id = tenant.tenant_id where slug = 'acme' $$,
  'which an import does,'
);
select throws_ok(
  $$
    select internal.begin_import(
      jsonb_set(internal.leaving_tenant('acme', true, '2026-03-10T08:00Z'), '{settings,brand_mark}', '"PHN2Zy8+"') || '{"slug": "forged"}', '2026-03-10T08:00Z'
    )
  $$, 'KT422', 'validation_failed', 'and refuses a picture that no request could have set'
);
select is_empty(
  $$ select * from internal.moved_tables() where name = 'brand_marks' $$, 'no file of an export has its bytes beside the rules'
);
select is(
  admin.set_tenant('globex', jsonb_build_object('brand_mark', :square), '2026-03-10T08:00:00Z') ->> 'brand_mark', '/assets/mark-globex-64-da19be659d261a30.png',
  'an operator sets it by the same rules'
);
select throws_ok(
  $$ select admin.set_tenant('globex', '{"brand_mark": "x"}', '2026-03-10T08:00:00Z') $$, 'KT422', 'validation_failed', 'and is refused as a tenant is'
);

select tests.as_server('acme');
select throws_ok(
  format($$ select api.update_tenant('{"brand_mark": %s, "grace_minutes": 1}', '2026-03-10T08:00:00Z') $$,
    to_json(translate(encode(tests.png(tests.header(192, 192), tests.chunk('IDAT', 'x'), tests.ending()), 'base64'), e'\n', ''))), 'KT422', 'validation_failed', 'a change that is refused'
);
select is(api.get_tenant() ->> 'brand_mark', '/assets/mark-acme-64-da19be659d261a30.png', 'changes no picture');
select is(tests.set_mark(null::text), null, 'null removes it');
select tests.as_superuser();
select is_empty($$ select from kith.brand_marks where tenant_id = tests.tenant('acme') $$, 'and its bytes');
select tests.as_role('kith_api');
select is_empty($$ select * from api.brand_mark(null, 'acme') $$, 'nobody sees it any more');
select isnt_empty($$ select * from api.brand_mark(null, 'globex') $$, 'that of another tenant stays,');
select tests.as_superuser();
update kith.tenants set deleted_at = '2026-03-10T08:00:00Z' where slug = 'globex';
select tests.as_role('kith_api');
select is_empty($$ select * from api.brand_mark(null, 'globex') $$, 'until the tenant is deleted');

select * from finish();
rollback;
