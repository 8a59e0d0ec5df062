-- A login that only reads, or that is bound to one tenant, must not be able to hold up everybody's events, whatever
-- settings its session chooses.

create or replace function internal.end_readers(p_now timestamptz, p_age interval) returns integer
  language plpgsql
as $$
declare
  v_session record;
  v_ended integer := 0;
begin
  for v_session in
    select activity.pid, activity.usename, activity.application_name, activity.xact_start,
      case when operator.is_read_only then 'a login that only reads has held up the feed'
        else 'a login bound to one tenant has held up the feed' end as reason
    from pg_catalog.pg_stat_activity as activity
    join kith.operators as operator
      on operator.login = activity.usename and (operator.is_read_only or operator.only_tenant_id is not null)
    where activity.backend_type = 'client backend' and activity.backend_xid is not null
      and activity.xact_start <= p_now - p_age and activity.pid <> pg_backend_pid()
  loop
    if pg_terminate_backend(v_session.pid) then
      perform internal.record_act(0, 'kith', 'session.end', v_session.pid::text, jsonb_build_object(
        'reason', v_session.reason, 'login', v_session.usename, 'program', v_session.application_name,
        'began_at', internal.instant(v_session.xact_start)
      ));
      v_ended := v_ended + 1;
    end if;
  end loop;
  return v_ended;
end
$$;
comment on function internal.end_readers(timestamptz, interval) is
  'Ends the sessions of operators who only read, or who are bound to one tenant, whose transaction has an id, for '
  'which every stream of events and every webhook waits, and has lasted p_age. Reading needs no id, an act of an '
  'operator takes less than a second, and a session can change the timeouts of its role. Returns how many. Each is '
  'audited. For worker.end_readers.';

create or replace function worker.end_readers(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return internal.end_readers(internal.present(p_now), interval '5 seconds');
end
$$;
comment on function worker.end_readers(timestamptz) is
  'Ends sessions of operators who only read, or are bound to one tenant, that have held up the feed for 5 seconds. '
  'Security definer, because only kith_owner may end sessions.';
grant execute on function worker.end_readers(timestamptz) to kith_worker;
