-- Which open event streams must end, because their user may no longer read.
begin;
\ir people.sql
select plan(5);

insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, created_at)
select tests.tenant(slug), tests.id('mallory'), 'k', 'HS256', true, 'kith', slug, '\x00', '2026-01-05T08:00Z' from unnest(array['acme', 'globex']) as slug;
insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at, ended_at, end_reason)
select tests.tenant('acme'), tests.id(id), tests.id('alice'), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-06-05T08:00Z', ended_at::timestamptz, reason
from (values ('alice', null, null), ('bob', '2026-03-01T08:00Z', 'signed_out')) as families (id, ended_at, reason);
create function tests.ended(p_changes text) returns integer[]
  language plpgsql
as $$
declare
  v_ended integer[];
begin
  begin
    execute p_changes;
    perform tests.as_role('kith_api');
    select array_agg(n order by n) into v_ended
    from api.ended_streams(jsonb_build_array(
      jsonb_build_object('n', 1, 'tenant_id', tests.tenant('acme'), 'user_id', tests.id('alice'), 'session_id', null, 'key_id', tests.id('mallory'), 'issued_at', 1767600000000000),
      jsonb_build_object('n', 2, 'tenant_id', tests.tenant('acme'), 'user_id', tests.id('alice'), 'session_id', tests.id('alice'), 'key_id', tests.id('mallory'), 'issued_at', 1767600000000000),
      jsonb_build_object('n', 3, 'tenant_id', tests.tenant('acme'), 'user_id', tests.id('alice'), 'session_id', tests.id('bob'), 'key_id', tests.id('mallory'), 'issued_at', 1767600000000000),
      jsonb_build_object('n', 4, 'tenant_id', tests.tenant('globex'), 'user_id', tests.id('globex-bob'), 'session_id', null, 'key_id', tests.id('mallory'), 'issued_at', 1767600000000000),
      jsonb_build_object('n', 5, 'tenant_id', tests.tenant('globex'), 'user_id', tests.id('alice'), 'session_id', null, 'key_id', tests.id('mallory'), 'issued_at', 1767600000000000),
      jsonb_build_object('n', 6, 'tenant_id', tests.tenant('acme'), 'user_id', tests.id('alice'), 'session_id', tests.id('alice'), 'key_id', '', 'issued_at', 1767600000000000),
      jsonb_build_object('n', 7, 'tenant_id', tests.tenant('acme'), 'user_id', tests.id('alice'), 'session_id', null, 'key_id', '', 'issued_at', 1767600000000000)
    ));
    raise exception 'undo' using errcode = 'TT000';
  exception when sqlstate 'TT000' then
    return v_ended;
  end;
end
$$;
select is(tests.ended('select'), array[3, 5, 7], 'streams of an ended sign-in end, and those of an unknown user, but none of a page that is signed in');
select is(tests.ended($$ update kith.tenants set status = 'suspended' where slug = 'globex' $$), array[3, 4, 5, 7], 'suspending a tenant ends all of its streams');
select is(
  tests.ended($$ update kith.users set tokens_valid_from = '2026-03-01T08:00Z' where id = tests.id('alice') $$), array[1, 3, 5, 7],
  'signing out everywhere ends the streams without a sign-in'
);
select is(
  tests.ended($$ update kith.users set deleted_at = '2026-03-01T08:00Z' where id = tests.id('alice') $$), array[1, 2, 3, 5, 6, 7], 'deleting a user ends all of their streams'
);
select is(
  tests.ended($$ update kith.jwt_keys set revoked_at = '2026-03-01T08:00Z' where tenant_id = tests.tenant('globex') $$), array[3, 4, 5, 7],
  'revoking a key ends the streams of its tokens'
);

select * from finish();
rollback;
