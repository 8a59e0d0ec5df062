-- Rules for names: something visible, and nothing that hides or reorders the text around it.
begin;
\ir people.sql
select plan(47);
\set now '''2026-03-10T08:00:00Z'''

-- The detail of a call's refusal.
create function tests.detail(p_call text) returns jsonb
  language plpgsql
as $$
declare
  v_detail text;
begin
  execute p_call;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return nullif(v_detail, '');
end
$$;

-- Unicode's Default_Ignorable_Code_Point, spaces, blanks and combining marks.
create temporary table ranges (first text, last text);
insert into ranges values
  ('00AD', '00AD'), ('034F', '034F'), ('061C', '061C'), ('115F', '1160'), ('17B4', '17B5'), ('180B', '180F'), ('200B', '200F'),
  ('202A', '202E'), ('2060', '206F'), ('3164', '3164'), ('FE00', 'FE0F'), ('FEFF', 'FEFF'), ('FFA0', 'FFA0'), ('FFF0', 'FFF8'),
  ('1BCA0', '1BCA3'), ('1D173', '1D17A'), ('E0000', 'E0FFF');
create temporary table invisible as
select n
from ranges, generate_series(('x' || lpad(first, 8, '0'))::bit(32)::integer, ('x' || lpad(last, 8, '0'))::bit(32)::integer) as n;
select is_empty('select to_hex(n) from invisible where internal.is_name(chr(n))', 'an invisible character is not a name');
select is_empty('select to_hex(n) from invisible where internal.is_name(repeat(chr(n), 3))', 'several invisible characters are not a name');
select is_empty(
  $$ select to_hex(n) from invisible where n not between x'FE00'::integer and x'FE0F'::integer and internal.is_name('An' || chr(n) || 'na') $$,
  'an invisible character between Latin letters is refused, because it would let one name pass for another'
);
select is_empty(
  $$ select to_hex(n) from unnest(array[9, 10, 13, 32, 133, 160, 5760, 8192, 8202, 8232, 8233, 8239, 8287, 10240, 12288, 769, 8413]) as n
    where internal.is_name(chr(n)) $$,
  'spaces, blanks and marks without a letter are not a name'
);
select is_empty(
  $$ select to_hex(n) from unnest(array[1, 10, 27, 127, 133, 8232, 8233]) as n where internal.is_name('A' || chr(n) || 'B') $$,
  'a name has no control characters and no line breaks'
);
select ok(internal.is_name(given.name), given.what)
from (values
  ('Anna', 'a name in Latin letters'), ('أحمد', 'in Arabic'), ('דוד', 'in Hebrew'), ('李小龍', 'in Chinese'), ('Zoë' || chr(769), 'with marks'),
  ('Mum 💛', 'with an emoji'), ('1', 'a digit'), ('…', 'a sign'),
  (U&'\0645\06CC\200C\062E\0648\0627\0647\0645', 'a joiner in Persian'), (U&'\0D05\0D35\0D28\0D4D\200D', 'a joiner that ends a word in Malayalam'),
  (U&'\0915\094D\200D\0937', 'a joiner in Devanagari'), (U&'\0DC1\0DCA\200D\0DBB\0DD3', 'a joiner in Sinhala'),
  (U&'\+01F468\200D\+01F469\200D\+01F467', 'a family'), (U&'\2764\FE0F\200D\+01F525', 'a heart on fire'),
  (U&'\+01F44D\+01F3FD', 'a thumb with a skin tone'), (U&'\+01F469\+01F3FD\200D\+01F680', 'an astronaut'),
  (U&'\+01F3F4\+0E0067\+0E0062\+0E0065\+0E006E\+0E0067\+0E007F', 'the flag of England'), (U&'1\FE0F\20E3', 'a keycap'),
  (U&'Zo\00EB \200F"\05E9\05DC\05D5\05DD"', 'a directional mark beside Hebrew'), (U&'\845B\+0E0100\98FE', 'a variant of a Chinese character'), (U&'\1820\180B', 'a variant of a Mongolian letter')
) as given (name, what);
select ok(not internal.is_name(given.name), 'not ' || given.what)
from (values
  (U&'Anna\202Egpj.exe', 'reordered text'), ('Anna' || repeat(chr(769), 5), 'a stack of marks'), (U&'\2067Anna\2069', 'isolated text'), (U&'\200DAnna', 'a joiner at the beginning'),
  (U&'Anna\200D', 'a joiner at the end'), (U&'\0645\200C\200C\06CC', 'two joiners'), (U&'\+0E0067Anna', 'a tag without a flag'),
  (U&'Anna\200F', 'a needless directional mark'), (U&'Anna \FE0F', 'a variation selector after a blank'), ('', 'nothing')
) as given (name, what);
select is(internal.is_name(null), null, 'a null name gives null');

-- Every place that takes a name.
select tests.as_server('acme');
select throws_ok(
  format('select api.put_user(%L, %L)', jsonb_build_object('display_name', U&'\200B\3164'), :now), 'KT422', 'validation_failed', 'a user''s name is checked'
);
select tests.as_user('acme', 'alice');
select is(
  (
    select string_agg(refused.detail, '; ')
    from (values
      (format('select api.update_me(%L, %L, %L)', jsonb_build_object('display_name', U&'\202E'), '{}', :now)),
      (format('select api.create_vault(%L, %L)', jsonb_build_object('name', U&'\3164'), :now)),
      (format('select api.update_vault(%L, %L, %L)', (api.create_vault('{"name": "Papers"}', :now) ->> 'id'), jsonb_build_object('name', U&'\200B'), :now)),
      (format('select api.rename_document(%L, %L, %L, null, %L)', gen_random_uuid(), gen_random_uuid(), U&'\200B', :now)),
      (format('select api.create_transfer(%L, %L, %L, %L)', gen_random_uuid(), jsonb_build_object('name', U&'\200B'), '', :now))
    ) as call (text)
    cross join lateral (select tests.detail(call.text) -> 0 ->> 'field' as detail) as refused
  ), 'display_name; name; name; name; name', 'an invalid name is refused with its field'
);
select tests.as_superuser();
select is(
  internal.readable_participant(jsonb_build_object('id', 'x', 'name', U&'\200B')) ->> 'name', null,
  'a sharing service''s list is accepted without an invalid name'
);
select throws_ok(
  format('select admin.set_tenant(%L, %L, %L)', 'acme', jsonb_build_object('brand_name', U&'Acme\202E'), :now), 'KT422', 'validation_failed',
  'a tenant''s brand is checked'
);
select throws_ok(format('select admin.create_tenant(%L, %L)', 'blank', U&'\200B'), 'KT422', 'validation_failed', 'a tenant''s name is checked');


-- Addresses in names: a name is never refused for one. In messages the fallback stands in its place.
select is(
  (
    select string_agg(name, ', ')
    from unnest(array[
      'login at evil.ru', 'https://evil.example/login', 'evil.example', 'Visit Evil.COM now', 'www.evil', '//evil.ru', 'x://y', 'hxxp://evil', 'https:\\evil', 'evil.ru:8080',
      'evil.ru?x', '(evil.ru)', 'evil.ru.', 'evil.co.uk', 'evil_x.ru', 'Login-evil.ru!', 'Anna,evil.ru', 'evil.ru-login', 'evil.ru😀', '😀evil.ru', 't.me/x', 'St.Pauli.de', 'Dr.No.com', 'Dr.No/x',
      'Dr.No', 'Mag.theol.ru', 'dr.med.com', 'prof.ing.xyz', 'Hr.Online', 'Ms.Help', 'Mr.Support', 'St.Com', 'Dr.med.Shop', 'x Dr.med.РФ', '(Fr.Shop)',
      'Dr.med.ru-login', 'Dr.med. Weber, xDr.med.ru', 'my.Co.KG', 'Co.KG/login', 'Prof.Dr.med.Weber.de', 'Dr.ru',
      'evil．ru', 'evil。ru', 'evil｡ru', U&'evil\2024ru', 'evil·ru', 'evil•ru', 'evil[.]ru', 'evil (dot) ru', 'evil .ru', 'evil . ru', 'ｅｖｉｌ．ｒｕ', 'ⓔⓥⓘⓛ.ⓡⓤ', U&'ev\00ADil.r\00ADu', U&'evil.\0441\043Em',
      'пример.рф', 'ПРИМЕР.РФ', 'xn--e1afmkfd.xn--p1ai', '例え.みんな', 'bob@evil.ru', 'bob@evil.unknown', 'bank.com@evil', 'user:pass@host', 'bob@localhost', 'mailto:bob', 'tel:0900123',
      '1.2.3.4', '10.0.0.1/x', '0x7f.0.0.1', '[2001:db8::1]', '::1', 'fe80::1'
    ]) as name
    where internal.shown_name(name) is not null or internal.name_error('display_name', name) <> '[]' and name !~ U&'\00AD'
  ), null, 'no address stands in a message, however it is written, and none is refused'
);
select is(
  (
    select string_agg(name, ', ')
    from unnest(array[
      'St.Pauli', 'Dr. No', 'Dr.Weber', 'Dr.Med. Müller', 'Dr.med.univ. Huber', 'Mag.theol. Huber', 'Anna (Dr.med.Weber)', 'Hr.Meier, Fr.Weber',
      'Dipl.-Ing. Müller', 'Weber und Co.KG', 'J.R.R. Tolkien', 'J.R.R.Tolkien', 'Dr. Anna St. John', 'Anna (work/home)', 'D.J. Com', 'Ann.Lee', 'M.A.', 'K.Otto', 'H.Schmidt', 'A.M. de Vries', 'Prof.Dr.med.Weber',
      'Dipl.-Ing.Müller', 'Müller & Co.KG', 'e.V.', 'S.p.A.', 'Gal·la', 'А.С.Пушкин', 'ジョン・スミス', 'Anna@Home', '01.02.2024', '10:30 Uhr', 'Version 1.2.3', 'Tel: 030 12345', 'Family: photos', '…', 'Papa ...'
    ]) as name
    where internal.shown_name(name) is distinct from name or internal.name_error('display_name', name) <> '[]'
  ), null, 'a name with full stops, titles or initials stands there as it is'
);
-- The machine's own list, from which Tests/top-level-domains writes the names.
select is_empty(
  $$
    select listed.label
    from (
      select distinct substring(line from '[^.!*[:space:]]+(?=\s*$)') as label
      from regexp_split_to_table(
        split_part(pg_read_file('/usr/share/publicsuffix/public_suffix_list.dat'), '===BEGIN PRIVATE', 1), e'\n'
      ) as line
      where line <> '' and line !~ '^//'
    ) as listed
    where not internal.is_top_level_domain(listed.label) and listed.label not in (
      'bentley', 'bosch', 'chase', 'ford', 'hughes', 'lancaster', 'lincoln', 'merck', 'norton', 'otto', 'philips', 'schmidt', 'shaw', 'walter', 'weber'
    )
  $$,
  'every top-level domain is known; after an update of publicsuffix, run Tests/top-level-domains'
);
select is(
  (
    select string_agg(internal.shown_brand(jsonb_populate_record(tenant, named.as_given)), ', ' order by n)
    from kith.tenants as tenant
    cross join unnest(array['{"brand_name": "Acme"}', '{"brand_name": "acme.ru"}', '{"brand_name": "acme.ru", "name": "evil.ru"}']::jsonb[])
      with ordinality as named (as_given, n)
    where tenant.slug = 'acme'
  ),
  'Acme, ' || (select name from kith.tenants where slug = 'acme') || ', acme', 'a tenant is called by its brand, its name or its slug'
);
select is(internal.name_error('name', 'report.app/2026'), '[]', 'a document may be called so');

select * from finish();
rollback;
