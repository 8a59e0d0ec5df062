-- Inviting many people at once (P15 to P17). The server parses the phone numbers; here its results are given.
begin;
\ir people.sql
select plan(92);

-- The text, byte for byte.
select tests.as_user('acme', 'alice');
create temporary table invited as
select api.create_connection_invitation(
  '[{"name": "Berta", "given_phone": "0151 12345678", "phone": "+4915112345678"},
    {"given_phone": "+1 415 555 2671", "phone": "+14155552671"},
    {"name": "Nobody", "given_phone": "call me", "problem": "no_number"},
    {"name": "Berta at work", "given_phone": "+49 151 12345678", "phone": "+4915112345678"}]',
  false, 'https://kith.example', '2026-03-10T08:00:00Z'
) as body;
select is(
  (select body ->> 'message' from invited),
  'Alice wants to send you daily pings on PRUUF to let you know they''re safe. Download the app and use code 111111 to connect: https://pruuf.app/join',
  'the text is the agreed one, byte for byte'
);
select is((select body ->> 'code' from invited), '111111', 'the code is the sender''s own permanent one');
select is((select body ->> 'url' from invited), 'https://pruuf.app/join?code=111111', 'the url contains the code');
select is((select body ->> 'created_at' from invited), '2026-03-10T08:00:00.000000Z', 'an invitation has its creation time');
select is(
  (select jsonb_agg(recipient::jsonb - 'sms_url' order by n) from invited, json_array_elements(body -> 'recipients') with ordinality as r (recipient, n)),
  '[{"n": 1, "name": "Berta", "phone": "+4915112345678", "status": "pending"},
    {"n": 2, "phone": "+14155552671", "status": "pending"},
    {"n": 3, "name": "Nobody", "phone": "call me", "status": "invalid", "error": "This is not a phone number."},
    {"n": 4, "name": "Berta at work", "phone": "+4915112345678", "status": "duplicate", "error": "This number is in the list already."}]',
  'every recipient has a result: usable, unusable with a reason, or duplicate'
);
select is(
  (select body -> 'recipients' -> 0 ->> 'sms_url' from invited),
  'sms:+4915112345678?&body=Alice%20wants%20to%20send%20you%20daily%20pings%20on%20PRUUF%20to%20let%20you%20know%20they%27re%20safe.%20'
  'Download%20the%20app%20and%20use%20code%20111111%20to%20connect%3A%20https%3A%2F%2Fpruuf.app%2Fjoin',
  'the sms link opens the message on iOS and on Android'
);
select ok(
  (select (body -> 'recipients' -> 2 -> 'sms_url') is null and (body -> 'recipients' -> 3 -> 'sms_url') is null from invited),
  'unusable and duplicate recipients have no link'
);
select is(
  internal.phone_problem_text(problem) is not null, true, format('%s has a text', problem)
)
from unnest(array['no_number', 'lacks_country', 'too_short', 'too_long', 'not_possible', 'takes_no_text']) as problem;
select is(
  api.get_connection_invitation((select (body ->> 'id')::uuid from invited))::jsonb, (select body::jsonb from invited),
  'reading it again gives the same'
);

-- Names, brands and links of all kinds.
select is(
  internal.invitation_message(name, 'PRUUF', '123456', 'https://pruuf.app/join'),
  'Someone wants to send you daily pings on PRUUF to let you know they''re safe. Download the app and use code 123456 to connect: https://pruuf.app/join',
  format('a sender called %L is shown as Someone', name)
)
from unnest(array[null, '', '  ']) as name;
select is(
  internal.invitation_message('100 %s', 'Guten Tag', '000001', 'https://g.example/j'),
  '100 %s wants to send you daily pings on Guten Tag to let you know they''re safe. Download the app and use code 000001 to connect: https://g.example/j',
  'a tenant''s brand and link appear in the text, and names are not format strings'
);
select is(internal.join_url(link, '012345'), url, format('the code goes into %s', link))
from (values
  ('https://a.example/join', 'https://a.example/join?code=012345'),
  ('https://a.example/join?ref=sms', 'https://a.example/join?ref=sms&code=012345'),
  ('https://a.example/join?', 'https://a.example/join?code=012345'),
  ('https://a.example/join?a=1&', 'https://a.example/join?a=1&code=012345')
) as links (link, url);
select is(
  internal.percent_encode('Zoë & Ångström 🔐+=#%~-._'), 'Zo%C3%AB%20%26%20%C3%85ngstr%C3%B6m%20%F0%9F%94%90%2B%3D%23%25~-._',
  'everything except unreserved characters is percent-encoded in UTF-8'
);

-- Reported outcomes.
prepare report as
select api.report_invitation_outcome((select (body ->> 'id')::uuid from invited), $1, $2, '2026-03-10T09:00:00Z') ->> 'status';
select results_eq(format('execute report(1, %L)', outcome), array[outcome], format('%s can be reported', outcome))
from unnest(array['unavailable', 'failed', 'cancelled', 'cancelled', 'sent', 'sent']) as outcome;
select throws_ok($$ execute report(1, 'failed') $$, 'KT409', 'invalid_transition', 'the outcome sent is final');
select throws_ok($$ execute report(3, 'sent') $$, 'KT409', 'invalid_transition', 'no outcome can be reported for an unusable number');
select throws_ok($$ execute report(4, 'sent') $$, 'KT409', 'invalid_transition', 'no outcome can be reported for a duplicate');
select throws_ok($$ execute report(5, 'sent') $$, 'KT404', 'not_found', 'no outcome can be reported for a recipient that does not exist');
select tests.as_superuser();
update kith.connection_invitation_recipients set status = 'queued' where tenant_id = tests.tenant('acme') and n = 2;
select tests.as_user('acme', 'alice');
select throws_ok($$ execute report(2, 'cancelled') $$, 'KT409', 'invalid_transition', 'no outcome can be reported for a message that Kith sends');
select is(
  api.list_connection_invitations(50, null)::jsonb #> '{items,0,statuses}', '{"duplicate": 1, "invalid": 1, "queued": 1, "sent": 1}',
  'the list counts the recipients by status'
);

-- A recipient who cannot be invited stops no other (P15).
create temporary table mixed as
select api.create_connection_invitation(
  jsonb_build_array(
    '{"name": "Without"}'::jsonb, '{"name": "Null", "given_phone": null}'::jsonb, '{"given_phone": "", "problem": "no_number"}'::jsonb,
    '{"name": "", "given_phone": "1", "phone": "+4915112340001"}'::jsonb,
    jsonb_build_object('name', U&'\2800', 'given_phone', '1', 'phone', '+4915112340001'),
    jsonb_build_object('name', repeat('x', 101), 'given_phone', '1', 'phone', '+4915112340001'),
    '{"name": null, "given_phone": "1", "phone": "+4915112340001"}'::jsonb, '{"name": "Last", "given_phone": "2", "phone": "+4915112340002"}'::jsonb
  ), false, 'https://kith.example', '2026-03-09T08:00:00Z'
) as body;
select is(
  (select recipient ->> 'error' from mixed, json_array_elements(body -> 'recipients') as recipient where recipient ->> 'n' = n::text), error,
  format('a recipient %s is %s', what, case when error is null then 'invited' else 'reported' end)
)
from (values
  (1, 'without a phone', 'Add a phone number.'), (2, 'whose phone is null', 'Add a phone number.'),
  (3, 'with an empty phone', 'Add a phone number.'),
  (4, 'with an empty name', 'This name cannot be used. Give one of up to 100 characters without invisible ones, or none.'),
  (5, 'with an invisible name', 'This name cannot be used. Give one of up to 100 characters without invisible ones, or none.'),
  (6, 'with a name that is too long', 'This name cannot be used. Give one of up to 100 characters without invisible ones, or none.'),
  (7, 'without a name', null), (8, 'beside them', null)
) as recipients (n, what, error);
select is(
  (select string_agg(recipient ->> 'status', ' ' order by n) from mixed, json_array_elements(body -> 'recipients') with ordinality as r (recipient, n)),
  'invalid invalid invalid invalid invalid invalid pending pending', 'those who can be invited are'
);
savepoint before_name;
select is(
  api.create_connection_invitation(
    jsonb_build_array(jsonb_build_object('name', U&'\0007x', 'given_phone', 'no', 'problem', 'no_number')), false, 'https://kith.example',
    '2026-03-09T08:00:00Z'
  ) #>> '{recipients,0,name}',
  null, 'a name that cannot be used is not kept, even if the number is what is reported'
);
rollback to before_name;

-- One message and one outcome for a group.
select is(
  (select split_part(body ->> 'sms_url', '&', 1) || ' ' || split_part(body ->> 'sms_url_ios', '&', 1) from mixed),
  'sms:+4915112340001,+4915112340002? sms:/open?addresses=+4915112340001,+4915112340002',
  'one link opens a message to everybody who has none yet'
);
prepare report_group as
select string_agg(recipient ->> 'status', ' ' order by n)
from json_array_elements(
  api.report_invitation_outcomes((select (body ->> 'id')::uuid from mixed), $1, '2026-03-09T09:00:00Z') -> 'recipients'
) with ordinality as r (recipient, n) where n > 5;
select results_eq(
  $$ execute report_group('{"outcome": "cancelled"}') $$, $$ values ('invalid cancelled cancelled') $$, 'one outcome is reported for everybody'
);
select results_eq(
  $$ execute report_group('{"outcome": "sent", "recipients": [8, 1]}') $$, $$ values ('invalid cancelled sent') $$,
  'one outcome is reported for some, and who cannot be sent a text stays as they are'
);
select results_eq(
  $$ execute report_group('{"outcome": "failed"}') $$, $$ values ('invalid failed sent') $$, 'sent stays final for a group too'
);
select results_eq(
  $$ execute report_group('{"outcome": "sent", "recipients": []}') $$, $$ values ('invalid failed sent') $$, 'an empty group changes nothing'
);
select throws_ok(
  $$ execute report_group('{"outcome": "sent", "recipients": [7, 9]}') $$, 'KT422', 'validation_failed', 'a group has only people of the list'
);
select is(
  split_part(api.get_connection_invitation((select (body ->> 'id')::uuid from mixed)) ->> 'sms_url', '&', 1), 'sms:+4915112340001?',
  'who was sent the message is not in the link any more'
);
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ execute report_group('{"outcome": "sent"}') $$, 'KT404', 'not_found', 'nobody reports outcomes of another user''s invitation'
);

-- The connection that came of it.
select tests.as_superuser();
update kith.users set phone = '+4915112340001', phone_verified_at = '2026-03-01T08:00Z' where id = tests.id('carol');
update kith.users set phone = '+4915112340002' where id = tests.id('mallory');
prepare connected as
select string_agg(recipient ->> 'connection_id', ' ' order by n)
from json_array_elements(api.get_connection_invitation((select (body ->> 'id')::uuid from mixed)) -> 'recipients') with ordinality as r (recipient, n);
select tests.as_user('acme', 'mallory');
select api.create_connection('111111', '2026-03-09T10:00:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select results_eq('connected', $$ values (null::text) $$, 'a number that the user has not verified proves nothing');
select tests.as_user('acme', 'carol');
select api.create_connection('111111', '2026-03-09T10:00:00Z') ->> 'id' as connection \gset
select throws_ok('execute connected', 'KT404', 'not_found', 'the invited person does not see the list');
select tests.as_user('acme', 'alice');
select results_eq('connected', format('values (%L)', :'connection'), 'the inviter sees which connection came of an invitation');
select is(
  (select item ->> 'connected' from json_array_elements(api.list_connection_invitations(50, null) -> 'items') as item
    where item ->> 'id' = (select body ->> 'id' from mixed)), '1', 'the list counts the invited people who have connected'
);
select tests.as_definer('acme', 'mallory');
select internal.confirm_contact(tests.id('mallory'), 'sms', '+4915112340002', '2026-03-09T11:00:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select results_eq(
  $$ select array_length(string_to_array(connected, ' '), 1) from (select string_agg(recipient ->> 'connection_id', ' ') as connected
    from json_array_elements(api.get_connection_invitation((select (body ->> 'id')::uuid from mixed)) -> 'recipients') as r (recipient)) as lists $$,
  $$ values (2) $$, 'a number that is verified after connecting is linked then'
);
select tests.as_superuser();
delete from kith.connection_invitations where id = (select (body ->> 'id')::uuid from mixed);
delete from kith.connections where id <> tests.id('alice-bob') and tenant_id = tests.tenant('acme') and sender_id = tests.id('alice');
update kith.users set phone = null, phone_verified_at = null where id in (tests.id('carol'), tests.id('mallory'));
select tests.as_user('acme', 'alice');

-- Permissions.
prepare invite as
select api.create_connection_invitation(
  (select jsonb_agg(jsonb_build_object('given_phone', n::text, 'phone', '+4915' || lpad(n::text, 9, '0'))) from generate_series(1, $1) as n),
  $2, 'https://kith.example', $3
) ->> coalesce($4, 'id');
select throws_ok(
  $$ execute invite(1, true, '2026-03-10T08:00:00Z', null) $$, 'KT422', 'validation_failed', 'a tenant that cannot send is refused to send'
);
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ execute invite(1, false, '2026-03-10T08:00:00Z', null) $$, 'KT409', 'profile_required', 'a receiver cannot invite (P16)'
);

-- 2,000 a day, of which four are used.
select tests.as_user('acme', 'alice');
select results_eq(
  $$ execute invite(1000, false, '2026-03-10T12:00:00Z', 'code') $$, $$ values ('111111') $$, 'a thousand people can be invited at once'
);
select results_eq(
  $$ execute invite(997, false, '2026-03-10T13:00:00Z', 'problem') $$, $$ values ('too_many_requests') $$, 'over 2,000 a day the whole call is refused'
);
select results_eq(
  $$ execute invite(997, false, '2026-03-10T13:00:00Z', 'retry_after') $$, $$ values ('68400') $$,
  'the refusal lasts until the earlier invitations are a day old'
);
select is(
  api.begin_connection_invitation(997, false, '2026-03-10T13:00:00Z') ->> 'retry_after', '68400',
  'a call over the limit is refused before the numbers are parsed'
);
select is(
  (select count(*) from kith.connection_invitation_recipients), 1004::bigint, 'a refused call writes nothing'
);
select results_eq(
  $$ execute invite(996, false, '2026-03-10T13:00:00Z', 'code') $$, $$ values ('111111') $$, 'the two thousandth person is invited'
);
select results_eq(
  $$ execute invite(1, false, '2026-03-10T14:00:00Z', 'retry_after') $$, $$ values ('64800') $$, 'the next one must wait until the oldest is a day old'
);
select results_eq(
  $$ execute invite(4, false, '2026-03-11T08:00:00Z', 'code') $$, $$ values ('111111') $$, 'a day later the next ones are invited'
);

-- Sending by Kith.
select tests.as_superuser();
select lives_ok($$ select admin.set_tenant('acme', '{"sms_enabled": true, "sms_invitations_per_day": 6}') $$, 'an operator allows a tenant to send');
select tests.as_user('acme', 'mallory');
create temporary table texted as
select api.create_connection_invitation(
  '[{"given_phone": "1", "phone": "+4915100000001"}, {"given_phone": "x", "problem": "no_number"},
    {"given_phone": "1", "phone": "+4915100000001"}, {"given_phone": "2", "phone": "+4915100000002"}]',
  true, 'https://kith.example', '2026-03-10T08:00:00Z'
) as body;
grant select on texted to public;
prepare texts as
select string_agg(recipient ->> 'status', ' ' order by n)
from json_array_elements(api.get_connection_invitation((select (body ->> 'id')::uuid from texted)) -> 'recipients') with ordinality as r (recipient, n);
select results_eq('texts', array['queued invalid duplicate queued'], 'usable recipients are queued');
select tests.as_superuser();
select is(
  (select string_agg(channel || ' ' || address || ' ' || (body = (select texted.body ->> 'message' from texted)), ', ' order by address) from kith.deliveries),
  'sms +4915100000001 true, sms +4915100000002 true', 'the outbox has the exact text'
);
select tests.as_role('kith_worker');
create temporary table claimed as select * from worker.claim_deliveries('2026-03-10T08:00:01Z', 'sms', 10, 10, 0, '{}', '{}', 'w');
select is(
  worker.finish_deliveries(
    '2026-03-10T08:00:02Z', 'w',
    (
      select jsonb_agg(jsonb_build_object(
        'tenant_id', tenant_id, 'id', id, 'outcome', case address when '+4915100000001' then 'sent' else 'retry' end
      ))
      from claimed
    )
  ),
  2, 'a worker reports the results'
);
select tests.as_user('acme', 'mallory');
select results_eq('texts', array['sent invalid duplicate queued'], 'the sender sees the results, and a retried message stays queued');
select tests.as_role('kith_worker');
select is(worker.drop_expired_deliveries('2026-03-11T08:00:00Z', 10), 1, 'a message expires after a day');
select tests.as_user('acme', 'mallory');
select results_eq('texts', array['sent invalid duplicate failed'], 'the sender sees the expiry');
select is(
  api.report_invitation_outcome((select (body ->> 'id')::uuid from texted), 4, 'sent', '2026-03-11T08:00:00Z') ->> 'status', 'sent',
  'the sender can then send the message personally'
);
prepare text_one as
select api.create_connection_invitation('[{"given_phone": "1", "phone": "+4915100000001"}]', true, 'https://kith.example', $1) #>> '{recipients,0,status}';
select results_eq(
  format('execute text_one(%L)', at), array[status], format('text %s to a number in a day is %s', n, status)
)
from (values
  (2, '2026-03-10T09:00:00Z', 'queued'), (3, '2026-03-10T10:00:00Z', 'queued'), (4, '2026-03-10T11:00:00Z', 'pending')
) as texts (n, at, status);
savepoint next_day;
select results_eq(
  format('execute text_one(%L)', at), array[status], format('the limit is of any 24 hours, not of a date: at %s a text is %s', at, status)
)
from (values ('2026-03-11T07:59:59Z', 'pending'), ('2026-03-11T08:00:00Z', 'queued'), ('2026-03-11T08:00:01Z', 'pending')) as texts (at, status);
rollback to next_day;
select is(
  api.create_connection_invitation(
    (select jsonb_agg(jsonb_build_object('given_phone', n::text, 'phone', '+491520000000' || n)) from generate_series(1, 3) as n),
    true, 'https://kith.example', '2026-03-10T12:00:00Z'
  )::jsonb - 'detail',
  '{"problem": "too_many_requests", "retry_after": 43200}', 'over the operator''s daily limit nothing is sent'
);
select tests.as_definer('acme', 'alice');
select throws_ok(
  $$ select internal.queue_invitation((select (body ->> 'id')::uuid from texted), '2026-03-11T09:00:00Z') $$, 'KT404', 'not_found',
  'nobody can send another user''s invitation'
);

-- After 90 days the numbers of invited people are deleted.
select tests.as_role('kith_worker');
select is(worker.sweep_invitations('2026-06-08T08:00:00Z', 10), 0, 'invitations are kept for 90 days');
select tests.as_superuser();
create temporary table kept as select id from kith.connection_invitations where created_at >= '2026-03-10T10:00Z';
select tests.as_role('kith_worker');
select cmp_ok(worker.sweep_invitations('2026-06-08T10:00:00Z', 2), '=', 2, 'after 90 days invitations are deleted, a batch at a time');
select worker.sweep_invitations('2026-06-08T10:00:00Z', 100) \g /dev/null
select is(worker.sweep_invitations('2026-06-08T10:00:00Z', 100), 0, 'the sweep continues until none is left');
select tests.as_superuser();
select set_eq('select id from kith.connection_invitations', 'select id from kept', 'younger invitations stay');
select is(
  (select count(*) from kith.connection_invitation_recipients where invitation_id not in (select id from kept)), 0::bigint,
  'the recipients are deleted with their invitations'
);
select is(
  (select count(*) from kith.deliveries where purpose = 'invitation'),
  (select count(*) from kith.connection_invitation_recipients where delivery_id is not null),
  'the sent texts are deleted too'
);


-- Ending the account gives nobody new messages: neither the tenant nor a number.
select tests.as_user('acme', 'mallory');
select api.delete_me('delete', '2026-03-10T22:00:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  internal.sms_invitations_left('2026-03-10T23:00:00Z'), 2, 'the messages of a deleted account still count against the tenant''s day'
);
select tests.as_superuser();
select is(
  (
    select array_agg(texts order by texts)
    from (select count(*)::integer as texts from kith.text_invitations where sent_at >= '2026-03-10' group by address) as numbers
  ), array[1, 3],
  'and those to a number against its own'
);

select * from finish();
rollback;
