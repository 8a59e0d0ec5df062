-- An operator whose transaction has one snapshot for all of its statements does not see that a tenant has left meanwhile, so it may not write for
-- one that moves (decision 51).
begin isolation level repeatable read;
\ir people.sql
select plan(3);
insert into kith.moving_tenants (tenant_id, state, changed_at) values (tests.tenant('acme'), 'leaving', now());
select ok(internal.guard_table('tenants', tests.tenant('acme')), 'the rule of a moving tenant is put on a table');
select throws_ok($$ select admin.set_tenant('acme', '{"grace_minutes": 60}') $$, 'KT503', 'unavailable', 'a transaction with an old snapshot does not write');
select lives_ok($$ select admin.set_tenant('globex', '{"grace_minutes": 60}') $$, 'others'' tenants are not concerned');
select * from finish();
rollback;
