-- Stored phone numbers, and how an operator writes them in another form (kith contacts).
begin;
\ir people.sql
select plan(10);
\set now '''2026-03-10T08:00:00Z'''

update kith.users set phone = '+4407700900123', phone_verified_at = :now where id = tests.id('alice');
update kith.users set phone = null, phone_verified_at = null, pending_phone = '+4407700900123' where id = tests.id('bob');
insert into kith.users (tenant_id, id, phone, phone_verified_at, tokens_valid_from, created_at, updated_at)
values (tests.tenant('globex'), gen_random_uuid(), '+4407700900123', :now, :now, :now, :now);
select tests.as_user('acme', 'carol');
select api.create_vault('{"name": "Papers"}', :now) ->> 'id' as papers \gset
select api.create_transfer(:'papers', '{"name": "Alice", "phone": "+4407700900123", "keep_access": false}', 'https://kith.example', :now) \g /dev/null
select tests.as_role('kith_admin');
select is(
  (select string_agg(kind, ' ' order by kind) from admin.phone_numbers where tenant = 'acme' and phone = '+4407700900123'), 'pending transfer user',
  'an operator sees every place of a number'
);
savepoint numbers;
select is(
  admin.respell_phone('acme', '+4407700900123', '+447700900123', 'upgrade', :now), 3, 'a number is written in its own form wherever it is stored'
);
select is(
  (select string_agg(kind, ' ' order by kind) from admin.phone_numbers where tenant = 'acme' and phone = '+447700900123'), 'pending transfer user',
  'each of the rows has it'
);
select is(
  (select is_verified from admin.phone_numbers where phone = '+447700900123' and kind = 'user'), true, 'a verified number stays verified'
);
select is((select count(*) from admin.phone_numbers where tenant = 'globex' and phone = '+4407700900123'), 1::bigint, 'another tenant''s row stays');
select is(
  (select detail from kith.audit where action = 'phone.respell'), '{"rows": 3, "reason": "upgrade"}'::jsonb, 'the act is audited, without the number'
);
rollback to numbers;
-- Whoever has the number can sign in.
select tests.as_superuser();
create function tests.respelled(p_stored text, p_phone text) returns text
  language plpgsql
as $$
begin
  return admin.respell_phone('acme', p_stored, p_phone, 'upgrade', '2026-03-10T08:00Z');
exception when sqlstate 'KT422' then
  return 'refused';
end
$$;
create temporary table refused as
select stored, phone
from (values
  ('+4407700900123', '+447700900124'), ('+4407700900123', '+4915112345678'), ('+4407700900123', '+17700900123'), ('+4407700900123', '+4407700900123'),
  ('+4407700900123', '+440770090012'), ('+4407700900123', '+44900123'), ('+4407700900123', '447700900123'), ('+4407700900123', '+447700900123x'),
  ('+4407700900123', null), (null, '+447700900123'), ('+447700900123', '+4407700900123'), ('+4407700900123', '+44[0-9]*')
) as pairs (stored, phone);
grant select on refused to public;
select tests.as_role('kith_admin');
select is(
  (select string_agg(concat_ws(' ', stored, phone), ', ') from refused
   where tests.respelled(stored, phone) <> 'refused'),
  null, 'no operator gives a person another number'
);
select is(
  (select array_agg(admin.respell_phone('acme', stored, phone, 'upgrade', :now)) from (values
    ('+5215512345678', '+525512345678'), ('+520445512345678', '+525512345678'), ('+78161234567', '+7161234567')) as pairs (stored, phone)),
  '{0,0,0}', 'each prefix can be left out'
);
rollback to numbers;
select tests.as_superuser();
update kith.users set phone = '+447700900123' where id = tests.id('carol');
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.respell_phone('acme', '+4407700900123', '+447700900123', 'upgrade', '2026-03-10T08:00:00Z') $$, 'KT409', 'conflict',
  'two accounts of one number are not merged'
);
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select admin.respell_phone('acme', '+4407700900123', '+447700900123', 'upgrade') $$, '42501', null, 'only an operator may do it'
);

select * from finish();
rollback;
