-- The events about reading notifications, on the other screens of the same user.
begin;
\ir people.sql
\ir event_feed.sql
select plan(5);

select tests.as_user('acme', 'alice');
select is(api.read_notifications(null, null, 1000, '2026-03-02T08:00Z')::text, null, 'there is nothing to mark as read');
select tests.as_superuser();
select is(tests.feed('2026-03-02T08:00Z'), null, 'reading nothing emits no event');

insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, xid)
select tests.tenant('acme'), internal.uuid7('2026-03-30T09:00Z'), tests.id('carol'), 'vault_opened', e'a\n"line"\r', '2026-03-30T09:00Z', '9'
from generate_series(1, 3);
insert into kept select 'news', (select id from kith.notifications where user_id = tests.id('carol') and type = 'vault_opened' limit 1);
select tests.as_user('acme', 'carol');
select api.read_notification(tests.kept('news'), '2026-03-30T09:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:01Z'), array['carol notification vault_opened'], 'a notification read on one screen appears as read on the others');
select tests.as_user('acme', 'carol');
select api.read_notification(tests.kept('news'), '2026-03-30T09:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:02Z'), null, 'reading it again emits no event');
select tests.as_user('acme', 'carol');
select api.read_notifications(null, null, 1000, '2026-03-30T09:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:03Z'), array['carol notifications_read 0'], 'reading all emits one event');

select * from finish();
rollback;
