-- A tenant's own words for the texts that people read.
begin;
\ir people.sql
select plan(29);

create function tests.objection(p_locale text, p_texts jsonb) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform api.set_tenant_texts(p_locale, p_texts, '2026-03-10T08:00:00Z');
  return null;
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return (select string_agg(concat_ws(' ', error ->> 'field', error ->> 'message'), '; ') from jsonb_array_elements(v_detail::jsonb) as error);
end
$$;

select tests.as_server('acme');
select is(api.tenant_texts('de')::jsonb, '{"texts": {}}', 'a new tenant has no words of its own');
select is(
  api.set_tenant_texts('de', '{"check_in.button": "Alles gut", "notification.ping_completed.receiver": "{name} geht es gut."}', '2026-03-10T08:00:00Z')::jsonb,
  '{"texts": {"check_in.button": "Alles gut", "notification.ping_completed.receiver": "{name} geht es gut."}}', 'texts are replaced'
);
select is(
  api.set_tenant_texts('DE', '{"check_in.button": "Mir geht''s gut"}', '2026-03-10T08:00:00Z')::jsonb,
  '{"texts": {"check_in.button": "Mir geht''s gut"}}', 'a text that is left out is the catalogue''s again'
);
select is(
  tests.objection('de', '{"check_in.button": "Gut", "no.such": "x", "notification.ping_completed.receiver": "Gut"}'),
  'no.such is not the key of a text; notification.ping_completed.receiver must have the placeholder {name}', 'each wrong text is named by its key'
);
select is(api.tenant_texts('de') #>> '{texts,check_in.button}', 'Mir geht''s gut', 'nothing of a refused change is kept');
select is(tests.objection('de', '{"check_in.button": "Hallo {name}"}'), 'check_in.button has no placeholder {name}', 'a placeholder must exist');
select is(
  tests.objection('de', '{"notification.ping_completed.receiver": "{ name }"}'),
  'notification.ping_completed.receiver must have braces only around a placeholder, like {name}', 'a brace belongs to a placeholder'
);
select is(tests.objection('de', jsonb_build_object('check_in.button', e'Gut\nso')), 'check_in.button must not hold control characters or line breaks', 'a text is one line');
select is(
  tests.objection('de', jsonb_build_object('check_in.button', u&'Gut\202E')), 'check_in.button must not hold control characters or line breaks',
  'a text changes no direction'
);
select is(tests.objection('de', '{"check_in.button": "<b>Gut</b>"}'), 'check_in.button must be plain text, without < and >', 'there is no markup');
select is(
  (
    select array_agg(text) from unnest(array[
      ' ', u&'\00A0\2003', u&'\200B', u&'\2800', u&'a\200Bb', u&'a\200Eb', u&'a\061Cb', u&'a\FEFFb', u&'a\00ADb', u&'a\115Fb', u&'a\+0E0041b',
      u&'a\206Ab', u&'a\FFF9b', 'a' || repeat(u&'\0301', 5)
    ]) as text
    where tests.objection('de', jsonb_build_object('check_in.button', text)) is distinct from
      'check_in.button must have a visible character, and none that is invisible or changes the direction of text'
  ),
  null, 'a text can be seen, and holds nothing that cannot'
);
select is(
  tests.objection('de', jsonb_build_object('notification.ping_completed.receiver', u&'{name} ist wohlauf \+01F469\200D\+01F467 \2764\FE0F – „gut“')), null, 'an emoji has its joiners'
);
select is(tests.objection('de', '{"notification.ping_completed.receiver": "{name}"}'), null, 'a placeholder alone is visible');
select is(tests.objection('de', '{"check_in.button": ""}'), 'check_in.button must have 1 to 1000 characters', 'a text is not empty');
select is(tests.objection('de', jsonb_build_object('check_in.button', repeat('ä', 1000))), null, 'a text has up to 1,000 characters');
select is(tests.objection('de', jsonb_build_object('check_in.button', repeat('ä', 1001))), 'check_in.button must have 1 to 1000 characters', 'and no more');
select is(
  tests.objection('de', '{"notification.ping_reminder.sender": {"one": "Noch eine Minute", "other": "Noch {count} Minuten"}}'), null,
  'a form for one can do without the number'
);
select is(
  tests.objection('de', '{"notification.ping_reminder.sender": {"one": "Noch {count} Minute", "other": "Gleich"}}'),
  'notification.ping_reminder.sender must have the placeholder {count} (other)', 'the form for others cannot'
);
select is(
  tests.objection('de', '{"notification.ping_reminder.sender": {"one": "Noch eine Minute"}}'),
  'notification.ping_reminder.sender must have a text for the plural category other', 'the form other must be there'
);
select is(
  tests.objection('de', '{"notification.ping_reminder.sender": {"few": "Noch {count}", "other": "Noch {count}"}}'),
  'notification.ping_reminder.sender has no plural category few in this language, only one, other', 'a category must be one of the language'
);
select is(
  tests.objection('de', '{"check_in.button": {"other": "Gut"}}'), 'check_in.button must be a text: no number decides its form',
  'a text without a number has no forms'
);
select is(
  tests.objection('de', '{"check_in.button": 1}'), 'check_in.button must be a text, or an object with a text for each plural category', 'a number is no text'
);
select throws_ok(
  $$ select api.set_tenant_texts('xx', '{}', '2026-03-10T08:00:00Z') $$, 'KT404', 'not_found', 'a language that the catalogue lacks is unknown'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.tenant_texts('de') $$, 'KT403', 'forbidden', 'users do not see the settings');

select tests.as_superuser();
select is(
  (select texts_changed_at from kith.tenants where slug = 'acme')::timestamptz, '2026-03-10T08:00:00Z'::timestamptz, 'servers learn that the texts have changed'
);
select is(
  api.own_texts(tests.tenant('acme')) #>> '{de,notification.ping_reminder.sender,one}', 'Noch eine Minute', 'a page reads them without a sign-in'
);
select is(
  admin.set_tenant_texts('acme', 'de', '{"check_in.button": "Gut"}', '2026-03-10T09:00:00Z'), 1, 'an operator replaces them by the same rules'
);
select is(
  (select concat_ws(' ', action, subject, detail) from kith.audit where tenant_id = tests.tenant('acme') and action = 'texts.update' and actor not like 'key:%' order by at desc, id desc limit 1),
  'texts.update de {"keys": ["check_in.button"]}', 'the change is in the audit'
);
select tests.as_server('acme');
select api.reset_tenant_texts('de', '2026-03-10T10:00:00Z');
select tests.as_superuser();
select is((select texts_changed_at from kith.tenants where slug = 'acme'), null, 'without own words a tenant costs nothing');
select * from finish();
rollback;
