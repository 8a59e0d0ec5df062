-- Transactions that last. Every stream of events and every webhook waits for the oldest transaction that has written,
-- and vacuum for the oldest of all.

create or replace function internal.transactions(p_now timestamptz, p_age interval)
  returns table (
    pid integer, login text, program text, client text, database text, began_at timestamptz, age interval, state text,
    holds text, waiting bigint, doing text, remedy text
  )
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_whole_installation();
  return query
  with session as materialized (
    select activity.*,
      case when activity.state like 'idle in transaction%' then p_now - activity.state_change end as idle
    from pg_stat_activity as activity
    where activity.xact_start <= p_now - p_age and activity.pid <> pg_backend_pid()
  ), blocked as materialized (
    select blocker.pid, count(*) as sessions
    from pg_stat_activity as waiter
    cross join lateral unnest(pg_blocking_pids(waiter.pid)) as blocker (pid)
    where waiter.wait_event_type = 'Lock'
    group by blocker.pid
  )
  select session.pid, session.usename::text, session.application_name,
    coalesce(host(session.client_addr), 'the same machine'),
    session.datname::text, session.xact_start, date_trunc('second', p_now - session.xact_start),
    coalesce(session.state, session.backend_type)
      || coalesce(
        ' for ' || date_trunc('second', session.idle)::text,
        case when session.wait_event_type = 'Lock' then ', waits for a lock' end, ''
      ),
    nullif(concat_ws(
      '; ', case when session.backend_xid is not null then 'the feed: no stream and no webhook gets a newer event' end,
      case when session.backend_xmin is not null or session.backend_xid is not null then 'vacuum' end,
      (
        select 'locks ' || string_agg(distinct held.relation::regclass::text, ', ')
        from pg_locks as held
        where held.pid = session.pid and held.granted and held.locktype = 'relation'
          and held.database = (select oid from pg_database where datname = current_database())
          and held.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      )
    ), ''),
    coalesce(blocked.sessions, 0),
    -- Without values: somebody may have typed a person's address, or a password.
    regexp_replace(left(regexp_replace(session.query, '\s+', ' ', 'g'), 120), '[''$].*', '…'),
    case
      when session.usename is null then 'PostgreSQL''s own: it ends by itself'
      when session.usename in (select role.rolname from pg_roles as role where role.rolsuper)
        then format('kith session end %s --reason ''why''', session.pid)
      else format('select admin.end_session(%s, ''why'')', session.pid)
    end
  from session
  left join blocked on blocked.pid = session.pid
  union all
  -- A prepared transaction has no session, and survives a restart.
  select null, prepared.owner::text, prepared.gid, null, prepared.database::text, prepared.prepared,
    date_trunc('second', p_now - prepared.prepared),
    'prepared', 'the feed: no stream and no webhook gets a newer event; vacuum', 0, null,
    format('in %s, as a superuser: rollback prepared %L', prepared.database, prepared.gid)
  from pg_prepared_xacts as prepared
  where prepared.prepared <= p_now - p_age;
end
$$;
comment on function internal.transactions(timestamptz, interval) is
  'The transactions that have lasted p_age, in every database of the cluster, because a transaction in any of them '
  'holds the feed back; and what each holds. Security definer, because PostgreSQL shows other roles'' sessions only to '
  'pg_monitor.';
grant execute on function internal.transactions(timestamptz, interval) to kith_reader;

drop view if exists admin.long_transactions;
create view admin.long_transactions with (security_barrier, security_invoker) as
select found.pid, found.login, found.program, found.client, found.database, found.began_at, found.age, found.state,
  found.holds, found.waiting, found.doing, found.remedy
from internal.transactions(clock_timestamp(), interval '5 seconds') as found;
comment on view admin.long_transactions is
  'Transactions that have lasted 5 seconds or longer, with what they hold: select * from admin.long_transactions order '
  'by began_at. While one that has written lasts, no app and no webhook hears of anything newer.';
comment on column admin.long_transactions.pid
  is 'The process, which admin.end_session takes; null for a prepared transaction.';
comment on column admin.long_transactions.login is 'Who logged in; null for PostgreSQL''s own processes.';
comment on column admin.long_transactions.program is
  'The application_name: a request''s id, kith serve, kith worker or psql; of a prepared transaction, its name.';
comment on column admin.long_transactions.client is 'The address from which it is connected.';
comment on column admin.long_transactions.database
  is 'The database of the session. One of another database holds the feed back too.';
comment on column admin.long_transactions.began_at is 'When the transaction began.';
comment on column admin.long_transactions.age is 'How long it has lasted.';
comment on column admin.long_transactions.state
  is 'active, or idle in transaction and for how long: somebody has forgotten it.';
comment on column admin.long_transactions.holds
  is 'What waits for it: the feed, vacuum, tables that it has locked; null if nothing.';
comment on column admin.long_transactions.waiting is 'How many sessions wait for a lock that it holds.';
comment on column admin.long_transactions.doing is 'The beginning of its last statement, without values.';
comment on column admin.long_transactions.remedy is 'What ends it.';
grant select on admin.long_transactions to kith_reader;

create or replace function internal.end_session_of(p_pid integer, p_reason text) returns text
  language plpgsql
as $$
declare
  v_session record;
begin
  perform internal.require_reason(p_reason);
  select activity.usename, activity.datname, activity.application_name, activity.xact_start, activity.backend_xid
  into v_session
  from pg_stat_activity as activity
  where activity.pid = p_pid and activity.backend_type = 'client backend' and activity.pid <> pg_backend_pid();
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('No other session has the process %s.', p_pid),
      hint = 'Look it up: select * from admin.long_transactions order by began_at;';
  elsif v_session.xact_start is null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This session has no open transaction, so it holds nothing.';
  elsif v_session.datname <> current_database() and v_session.backend_xid is null then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('This session is of the database %s, and holds nothing of this one.', v_session.datname);
  end if;
  begin
    perform pg_terminate_backend(p_pid);
  exception when insufficient_privilege then
    raise exception 'forbidden'
      using errcode = 'KT403',
      detail = format('The session of %s may be ended by a superuser only.', v_session.usename),
      hint = format('kith session end %s --reason ''why'', with a superuser''s KITH_OWNER_DATABASE_URL.', p_pid);
  end;
  perform internal.record_act(0, internal.operator(), 'session.end', p_pid::text, jsonb_build_object(
    'reason', p_reason, 'login', v_session.usename, 'program', v_session.application_name,
    'began_at', internal.instant(v_session.xact_start)
  ));
  return format(
    'ended the session of %s, whose transaction began at %s', v_session.usename,
    internal.shown_instant(v_session.xact_start)
  );
end
$$;
comment on function internal.end_session_of(integer, text) is
  'Ends the session of a process that holds a transaction open, with the rights of the caller, and keeps the reason in '
  'the audit. For admin.end_session and, with a superuser''s rights, kith session end.';

create or replace function admin.end_session(p_pid integer, p_reason text) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  return internal.end_session_of(p_pid, p_reason);
end
$$;
comment on function admin.end_session(integer, text) is
  'Ends a session that holds a transaction open, as admin.long_transactions lists them: select admin.end_session(4711, '
  '''forgotten psql''). Its transaction is rolled back. A server or worker whose session ends connects again, and its '
  'request is answered with 503. A superuser''s session only a superuser can end: kith session end. The reason is kept '
  'in the audit.';
grant execute on function admin.end_session(integer, text) to kith_admin;
