create or replace function internal.reached_by_alarm(p_tenant integer, p_alarm uuid, p_now timestamptz) returns bigint
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_alarm kith.alarms;
begin
  select * into v_alarm from kith.alarms where tenant_id = p_tenant and id = p_alarm;
  return (
    select count(distinct telling.user_id) from internal.alarm_tellings(v_alarm, p_now) as telling
    where telling.kind in ('told', 'seen')
  );
end
$$;
comment on function internal.reached_by_alarm(integer, uuid, timestamptz) is
  'How many receivers have been told of an alarm (internal.alarm_tellings). Security definer, because operators may '
  'not call the rules of the schema internal.';
grant execute on function internal.reached_by_alarm(integer, uuid, timestamptz) to kith_reader;

drop view if exists admin.alarms;
create view admin.alarms with (security_barrier, security_invoker) as
select
  tenant.slug as tenant, alarm.id, alarm.kind,
  case
    when alarm.resolved_at is not null or alarm.expires_at <= now() then 'resolved'
    when alarm.taken_until + interval '10 minutes' > now() then 'taken'
    else 'open'
  end as status,
  alarm.sender_id, alarm.opened_at, alarm.counts_from, alarm.called_at,
  coalesce(alarm.taken_by::text, 'the desk: ' || alarm.taken_by_desk) as taken_by, alarm.taken_by_desk, alarm.taken_at,
  alarm.taken_until, alarm.resolved_at,
  alarm.resolved_by, alarm.resolved_by_desk, alarm.outcome, alarm.next_at, alarm.desk_told_at,
  (
    select count(*) from kith.alarm_receivers as receiver
    where receiver.tenant_id = alarm.tenant_id and receiver.alarm_id = alarm.id and receiver.told_at is not null
  ) as told,
  case
    when alarm.resolved_at is null
      then internal.reached_by_alarm(alarm.tenant_id, alarm.id, greatest(now(), alarm.opened_at))
  end as reached,
  case
    when alarm.resolved_at is null then now() - alarm.opened_at
    else alarm.resolved_at - alarm.opened_at
  end as lasts,
  format('select * from admin.story_of_alarm(%L, %L)', tenant.slug, alarm.id) as next
from kith.alarms as alarm
join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
where not exists (select from internal.hidden_person(alarm.tenant_id, alarm.sender_id));
comment on view admin.alarms is
  'Alarms of all tenants (K01): whose, since when, who looks after each, and how it ended; without what people wrote, '
  'and without those of canaries (admin.canary_runs). The status is as of now().';
comment on column admin.alarms.tenant is 'The tenant''s slug.';
comment on column admin.alarms.id is 'The alarm.';
comment on column admin.alarms.kind is 'missed, help, unanswered or drill.';
comment on column admin.alarms.status is 'open, taken or resolved, as of now().';
comment on column admin.alarms.sender_id is 'Whom it is about.';
comment on column admin.alarms.opened_at is 'When it opened.';
comment on column admin.alarms.counts_from is 'From when the minutes of tiers and repeats count.';
comment on column admin.alarms.called_at is 'When the sender called for help.';
comment on column admin.alarms.taken_by
  is 'Who looks after it: the id of the receiver, or the desk with the name of its person. Null while nobody does.';
comment on column admin.alarms.taken_by_desk
  is 'The name of the person of the tenant''s desk who looks after it, as the tenant''s server gave it.';
comment on column admin.alarms.taken_at is 'Since when.';
comment on column admin.alarms.taken_until is 'When the taker is asked again.';
comment on column admin.alarms.resolved_at is 'When it ended.';
comment on column admin.alarms.resolved_by
  is 'The sender or the receiver who ended it. Null for the desk, an operator, and time.';
comment on column admin.alarms.resolved_by_desk is 'The name of the person of the desk who ended it.';
comment on column admin.alarms.outcome is 'How it ended.';
comment on column admin.alarms.next_at is 'When the worker does something next.';
comment on column admin.alarms.desk_told_at is 'When the tenant''s desk was told.';
comment on column admin.alarms.told is 'To how many receivers a message was written.';
comment on column admin.alarms.reached is
  'How many of them a channel''s provider took a message for, or have read it in the app; of a tenant without channels '
  'all. Null once the alarm is over.';
comment on column admin.alarms.lasts is 'How long it lasts, or has lasted.';
comment on column admin.alarms.next is 'The statement that tells its story.';
grant select on admin.alarms to kith_reader;

create or replace function admin.end_alarm(
  p_tenant text, p_alarm uuid, p_reason text, p_confirm text default null, p_now timestamptz default now()
) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_alarm kith.alarms;
  v_caller text;
begin
  perform internal.require_present(p_now);
  perform internal.require_reason(p_reason);
  select * into v_alarm from kith.alarms where tenant_id = v_tenant and id = p_alarm for update;
  if not found then
    perform internal.refuse_unknown(p_tenant, format('alarm %s', p_alarm), 'admin.alarms');
  elsif v_alarm.resolved_at is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = format('The alarm has been over since %s.', v_alarm.resolved_at);
  end if;
  if v_alarm.kind = 'help' then
    v_caller := (
      select coalesce(account.display_name, account.id::text) from kith.users as account
      where account.tenant_id = v_tenant and account.id = v_alarm.sender_id
    );
    if p_confirm is distinct from v_caller then
      perform internal.refuse_fields(internal.field_error(
        'p_confirm',
        format(
          'must name the caller: p_confirm => %L. Nobody is told of this call once it has ended, so make sure first '
          'that they are safe',
          v_caller
        )
      ));
    end if;
  end if;
  perform internal.expire_alarm(v_alarm, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'alarm.end', p_alarm::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'the alarm is over; nobody is told, and no ping has changed: select * from admin.story_of_alarm(%L, %L)', p_tenant,
    p_alarm
  );
end
$$;
comment on function admin.end_alarm(text, uuid, text, text, timestamptz) is
  'Ends an alarm that should not be there, such as one of a test, without an outcome: nobody is told until the next '
  'check-in, and no ping changes. A call for help ends only with the name of its caller in p_confirm. It says nothing '
  'about the sender. Only receivers and the desk can say that somebody is safe. The reason is kept in the audit. '
  'Returns what follows.';
grant execute on function admin.end_alarm(text, uuid, text, text, timestamptz) to kith_admin;
