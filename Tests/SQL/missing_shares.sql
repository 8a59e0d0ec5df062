-- A share whose record the sharing service has lost (C08).
begin;
\ir people.sql
select plan(21);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.share(p_name text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_share json := api.put_share(tests.kept('papers'), '{}', p_at);
begin
  insert into kept values (p_name, (v_share ->> 'id')::uuid) on conflict (name) do update set id = excluded.id;
  return v_share ->> 'participant_count';
end
$$;
create function tests.synchronise(p_ids text[], p_at timestamptz) returns text
  language sql
as $$
  select concat_ws(' ', counts ->> 'created', counts ->> 'updated', counts ->> 'unchanged')
  from api.synchronise_share(tests.kept('papers'), jsonb_build_object('participants', (
    select jsonb_agg(jsonb_build_object('id', id, 'acceptance_status', 'accepted', 'permission', 'readOnly', 'role', 'privateUser'))
    from unnest(p_ids) as id
  )), p_at) as counts
$$;
create function tests.report(p_share text, p_at timestamptz) returns text
  language sql return api.report_missing_share(tests.kept(p_share), p_at)::text;

select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
select is(tests.share('first', '2026-03-10T08:01Z'), '0', 'a vault has a share');
select is(tests.synchronise('{bob, carol}', '2026-03-10T08:02Z'), '2 0 0', 'with two people');

-- Who may report.
select throws_ok(
  $$ select tests.report('first', '2026-03-10T09:00Z') $$, 'KT404', 'not_found', format('%s cannot report it missing', person)
)
from (values ('acme', 'bob'), ('acme', 'mallory'), ('globex', 'globex-alice')) as people (tenant, person)
cross join lateral tests.as_user(tenant, person);
select tests.as_user('acme', 'alice');
select is(tests.report('first', '2026-03-10T09:00Z'), null, 'its owner reports it missing');
select throws_ok($$ select api.get_share(tests.kept('papers'), '2026-03-10T09:01Z') $$, 'KT404', 'not_found', 'there is no share then');
select is(api.list_shares(50, null) ->> 'items', '[]', 'in no list');
select throws_ok($$ select tests.synchronise('{bob}', '2026-03-10T09:01Z') $$, 'KT404', 'not_found', 'and nobody to synchronise with');
select tests.as_superuser();
select is((select string_agg(status, ' ') from kith.nominees), 'accepted accepted', 'but nobody loses their place');
select tests.as_user('acme', 'alice');
select is(tests.report('first', '2026-03-10T09:02Z'), null, 'reporting again changes nothing');

-- The next share.
select is(tests.share('second', '2026-03-10T09:03Z'), '2', 'asking for the share makes a new one, with the same people');
select isnt(tests.kept('second'), tests.kept('first'), 'which has an id of its own');
select is(tests.share('again', '2026-03-10T09:03Z'), '2', 'asking again gets it');
select is(tests.kept('again'), tests.kept('second'), 'and makes no other');
select is(tests.synchronise('{bob, carol, dora}', '2026-03-10T09:04Z'), '1 0 2', 'the service''s people are known by their ids');
select is(tests.report('first', '2026-03-10T09:05Z'), null, 'a late report of the old share');
select is(api.get_share(tests.kept('papers'), '2026-03-10T09:06Z') ->> 'id', tests.kept('second')::text, 'leaves the new one alone');
select api.delete_share(tests.kept('papers'), '2026-03-10T09:07Z') \g /dev/null
select tests.as_superuser();
select is((select string_agg(status, ' ') from kith.nominees), 'revoked revoked revoked', 'ending the new share ends all its people');
select tests.as_user('acme', 'alice');
select is(tests.share('third', '2026-03-10T09:08Z'), '0', 'a share that was ended brings nobody back');
select tests.as_superuser();
select is(
  (select string_agg(action, ' ' order by id) from kith.history where subject_type = 'share'),
  'share.created share.synchronised share.missing share.created share.synchronised share.ended share.created', 'the history tells it'
);

select * from finish();
rollback;
