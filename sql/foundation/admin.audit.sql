drop view if exists admin.audit;
create view admin.audit with (security_invoker) as
select tenant.slug as tenant, act.at, act.actor,
  case split_part(act.actor, ':', 1)
    when 'key' then (
      select key.name from kith.api_keys as key
      where key.tenant_id = act.tenant_id and key.id::text = substr(act.actor, 5)
    )
    when 'user' then (
      select account.display_name from kith.users as account
      where account.tenant_id = act.tenant_id
        and account.id = case when substr(act.actor, 6) ~ '^[0-9a-f-]{36}$' then substr(act.actor, 6)::uuid end
    )
    when 'operator' then substr(act.actor, 10)
  end as name,
  act.action, act.subject, act.detail -> 'before' as before, act.detail - 'before' as detail, act.request_id, act.id
from kith.audit as act
left join kith.tenants as tenant on tenant.tenant_id = act.tenant_id;
comment on view admin.audit is
  'Who did what: select * from admin.audit order by id desc limit 20; of one tenant: where tenant = ''acme''. kith '
  'audit shows it too. Order by id, which has an index.';
comment on column admin.audit.tenant
  is 'The tenant''s slug; null if the act concerns the installation, or the tenant is purged.';
comment on column admin.audit.at is 'When it was recorded, by the database''s clock.';
comment on column admin.audit.actor is 'operator:<login role>, key:<api key id>, user:<id> or kith.';
comment on column admin.audit.name is 'The operator''s login, the name of the key, or the user''s name as it is now.';
comment on column admin.audit.action is 'What was done, such as tenant.update.';
comment on column admin.audit.subject is 'What it was done to: an id, a slug or a channel.';
comment on column admin.audit.before is 'The former values of what was changed, for acts that keep them.';
comment on column admin.audit.detail is 'The new values, the reason, or other details.';
comment on column admin.audit.request_id is 'The id of the request, which kith logs explain takes; null for operators.';
comment on column admin.audit.id is 'The order of the acts.';
grant select on admin.audit to kith_reader;

drop view if exists admin.reads;
create view admin.reads with (security_barrier, security_invoker) as
select login, statement, nullif(tenant, '') as tenant, nullif(subject, '') as subject, reads, last_at, hour
from kith.operator_reads;
comment on view admin.reads is
  'Which operator read whose data, by the stories, the search and the lists of schema admin, hour by hour: select * '
  'from admin.reads where subject = ''019aa5c2-…'' order by last_at. It does not see who reads a table or a view, nor '
  'a search that found nobody, nor what a script rolls back (deploy/README.md, Operators).';
comment on column admin.reads.login is 'The role that logged in.';
comment on column admin.reads.statement is 'The procedure of schema admin.';
comment on column admin.reads.tenant is 'The tenant''s slug.';
comment on column admin.reads.subject is
  'The id that was read: of a connection, a notification, an alarm or a request for emergency access, and of each '
  'person whom the story shows. Null for a list, and beyond 1,000 rows of an hour.';
comment on column admin.reads.reads is 'How often in the hour.';
comment on column admin.reads.last_at is 'When it was last.';
comment on column admin.reads.hour is 'The beginning of the hour, UTC.';
grant select on admin.reads to kith_reader;
