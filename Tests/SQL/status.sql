-- What anybody may know of whether Kith watches (G11).
begin;
\ir people.sql
select plan(27);
\set now '''2026-03-10T12:00:00Z'''

create function tests.status(p_tenant text, p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_role('kith_api');
  v_answer := api.status(tests.tenant(p_tenant), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.channels(p_tenant text, p_now timestamptz) returns text
  language sql stable
  return (
    select string_agg(format('%s %s %s', channel ->> 'channel', channel ->> 'state', channel ->> 'since'), '; ' order by n)
    from jsonb_array_elements(tests.status(p_tenant, p_now) -> 'channels') with ordinality as channels (channel, n)
  );
create function tests.shown_outages(p_tenant text, p_now timestamptz) returns text
  language sql stable
  return (
    select string_agg(
      concat_ws(' ', outage ->> 'component', left(outage ->> 'began_at', 16), left(outage ->> 'ended_at', 16), case when (outage ->> 'is_restore')::boolean then 'restored' end),
      '; ' order by n
    )
    from jsonb_array_elements(tests.status(p_tenant, p_now) -> 'outages') with ordinality as outages (outage, n)
  );

-- Nothing has run yet.
delete from kith.heartbeats;
delete from kith.incarnations;
select is(
  tests.status('acme', :now),
  '{"server_down_since": null, "worker_down_since": null, "check_ins_since": null, "alarms_since": null, "rests_until": null, "is_held": false, "channels": [], "listed_from": null, "outages": []}'::jsonb,
  'a new installation has nothing to report'
);
insert into kith.incarnations (system_identifier, timeline, noticed_at, confirmed_at, confirmed_by)
select own.system_identifier, own.timeline, '2026-01-01T00:00Z', '2026-01-01T00:00Z', 'kith' from internal.incarnation() as own;
select is(tests.status('acme', :now) ->> 'check_ins_since', '2026-01-01T00:00:00.000000Z', 'check-ins are taken since the first heartbeat');
select is(tests.status('acme', :now) ->> 'alarms_since', '2026-01-01T00:00:00.000000Z', 'so are missed ones noticed');

-- Interruptions.
insert into kith.outages (component, began_at, ended_at) values
  ('server', '2025-11-01T00:00Z', '2025-11-01T01:00Z'),
  ('server', '2026-03-01T10:00Z', '2026-03-01T10:05Z'),
  ('worker', '2026-03-02T10:00Z', '2026-03-02T10:05Z');
select is(
  tests.shown_outages('acme', :now), 'worker 2026-03-02T10:00 2026-03-02T10:05; server 2026-03-01T10:00 2026-03-01T10:05',
  'the interruptions of 90 days are shown, the newest first'
);
select is(tests.shown_outages(null, :now), tests.shown_outages('acme', :now), 'so they are without a tenant');
select is(tests.status('acme', :now) ->> 'check_ins_since', '2026-03-01T10:05:00.000000Z', 'check-ins are taken since the last interruption of the servers');
select is(tests.status('acme', :now) ->> 'alarms_since', '2026-03-02T10:05:00.000000Z', 'missed ones are noticed since the last interruption of either');
select is(tests.status('acme', '2026-03-02T10:10Z') ->> 'rests_until', '2026-03-02T10:20:00.000000Z', 'for 15 minutes after an interruption nobody is judged');
select is(tests.status('acme', '2026-03-02T10:20Z') ->> 'rests_until', null, 'and then somebody may be');
insert into kith.outages (component, began_at) values ('worker', '2026-03-10T11:50Z'), ('server', '2026-03-10T11:55Z');
select is(
  (select (body ->> 'server_down_since') || ' ' || (body ->> 'worker_down_since') from tests.status('acme', :now) as body),
  '2026-03-10T11:55:00.000000Z 2026-03-10T11:50:00.000000Z', 'an interruption that lasts has its beginning'
);
delete from kith.outages where ended_at is null;
insert into kith.outages (component, began_at, ended_at)
select 'server', at, at + interval '2 minutes' from generate_series(timestamptz '2026-01-01T00:00Z', '2026-01-05T23:00Z', interval '1 hour') as at;
select is(jsonb_array_length(tests.status('acme', :now) -> 'outages'), 100, 'at most 100 are shown');
update kith.incarnations set confirmed_at = null, confirmed_by = null;
select is(tests.status('acme', :now) ->> 'is_held', 'true', 'it says that an operator has to confirm a restore');
update kith.incarnations set confirmed_at = '2026-01-01T00:00Z', confirmed_by = 'kith';

-- What nobody has recorded yet, and a restore.
delete from kith.outages;
insert into kith.heartbeats (component, instance, started_at, beat_at) values
  ('server', 's', '2026-03-10T00:00Z', '2026-03-10T11:59:30Z'), ('worker', 'w', '2026-03-10T00:00Z', '2026-03-10T11:58Z'), ('worker', 'x', '2026-03-09T00:00Z', '2026-03-09T11:58Z');
select is(
  (select concat_ws(' ', coalesce(body ->> 'server_down_since', 'none'), body ->> 'worker_down_since') from tests.status('acme', :now) as body),
  'none 2026-03-10T11:58:00.000000Z', 'a component that has been silent for more than a minute is down since its last heartbeat'
);
select is(tests.shown_outages('acme', :now), 'worker 2026-03-10T11:58', 'and in the list');
insert into kith.outages (component, began_at) values ('worker', '2026-03-10T11:58Z');
select is(tests.shown_outages('acme', :now), 'worker 2026-03-10T11:58', 'once, also when somebody has recorded it');
delete from kith.heartbeats;
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-03T03:00Z', '2026-03-03T16:00Z');
insert into kith.incarnations (system_identifier, timeline, noticed_at, restored_to, confirmed_at, confirmed_by)
values (1, 1, '2026-03-03T16:00Z', '2026-03-03T03:00Z', '2026-03-03T19:00Z', 'operator:op');
select is(tests.shown_outages('acme', :now), 'server 2026-03-03T03:00 2026-03-03T16:00 restored', 'an outage that a restore made is known as one');
select is(tests.status('acme', :now) ->> 'alarms_since', '2026-03-03T19:00:00.000000Z', 'missed check-ins are noticed since an operator confirmed it');
insert into kith.moving_tenants (tenant_id, state, changed_at, came_at) values (tests.tenant('acme'), 'here', '2026-03-04T10:00Z', '2026-03-04T10:01Z');
select is(
  (select concat_ws(' ', body ->> 'listed_from', body ->> 'check_ins_since', jsonb_array_length(body -> 'outages')) from tests.status('acme', :now) as body),
  '2026-03-04T10:01:00.000000Z 2026-03-04T10:01:00.000000Z 0', 'of a tenant that came from another cell it says from when on it knows'
);
delete from kith.moving_tenants;
delete from kith.outages;

-- Channels.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '\x01', :now, :now), (tests.tenant('acme'), 'email', '{}', '\x01', :now, :now), (tests.tenant('globex'), 'sms', '{}', '\x01', :now, :now);
select is(tests.channels('acme', :now), 'email ok ; sms ok ', 'a channel without trouble is ok, and has no time that would tell when somebody got a message');
update kith.channel_credentials set error = '401', refused_since = '2026-03-10T11:59:30Z' where tenant_id = tests.tenant('acme') and channel = 'sms';
select is(tests.channels('acme', :now), 'email ok ; sms ok ', 'a refusal of seconds is none yet');
update kith.channel_credentials set refused_since = '2026-03-10T11:00Z' where tenant_id = tests.tenant('acme') and channel = 'sms';
select is(tests.channels('acme', :now), 'email ok ; sms refused ', 'a provider that accepts nothing is shown, without the time of a message');
select is(tests.channels('globex', :now), 'sms ok ', 'another tenant''s provider is not');
select is(tests.channels(null, :now), 'email ok ; sms partly ', 'for all together it is a part');
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, is_urgent, attempts, next_attempt_at, expires_at, created_at)
values (tests.tenant('globex'), internal.uuid7('2026-03-10T11:50Z'), 'sms', 'invitation', '+4915100000002', 'x', 'queued', false, 0, '2026-03-10T11:54Z', '2026-03-11T00:00Z', '2026-03-10T11:50Z');
select is(tests.channels('globex', :now), 'sms late ', 'messages that have been due for 5 minutes make it late');
select is(tests.channels(null, :now), 'email ok ; sms partly ', 'for all together it is a part, too');
insert into kith.channel_pauses (tenant_id, channel, reason, paused_by, paused_at) values (0, 'sms', 'secret words', 'op', '2026-03-10T11:58Z');
select is(tests.channels('globex', :now), 'sms paused 2026-03-10T11:58:00.000000Z', 'a pause is shown, without its reason');
select is(tests.channels(null, :now), 'email ok ; sms paused 2026-03-10T11:58:00.000000Z', 'for all together as well');

select * from finish();
rollback;
