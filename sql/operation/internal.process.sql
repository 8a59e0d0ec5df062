create or replace function internal.process(p_step text, p_rows anyarray, p_detail text, p_now timestamptz) returns integer
  language plpgsql
as $$
begin
  -- PostgreSQL parses a branch when it is reached, so each may take rows of its own type.
  case p_step
    when 'announce_due_pings' then return internal.announce_pings(p_rows, p_now);
    when 'remind_senders' then return internal.remind_of_pings(p_rows, p_now);
    when 'miss_pings' then return internal.miss_of_pings(p_rows, p_now);
    when 'miss_pings.ask' then return internal.ask_after_outage(p_rows, p_detail, p_now);
    when 'turn_breaks.end' then return internal.end_breaks(p_rows, p_now);
    when 'turn_breaks.begin' then return internal.begin_breaks(p_rows, p_now);
    when 'settle_subscriptions.restore' then return internal.restore_receivers(p_rows, p_now);
    when 'settle_subscriptions.begin' then return internal.lapse_receivers(p_rows, p_now);
    when 'settle_subscriptions.stop' then return internal.stop_receivers(p_rows, p_now);
    when 'generate_daily_pings.run' then return internal.generate_carefully(p_rows[1], p_detail::integer, p_now);
    when 'generate_daily_pings.sender' then return internal.generate_for_senders(p_rows, p_now);
    when 'find_gaps' then return internal.check_senders(p_rows, p_now);
    when 'plan_deliveries' then return internal.plan_notifications(p_rows, p_detail::boolean, p_now);
    when 'drop_expired_deliveries' then return internal.drop_expired(p_rows, p_now);
    when 'give_up_deliveries' then
      return internal.end_all(p_rows, 'failed', 'given up: the worker stopped 5 times in a row before it reported a result', p_now);
    when 'alarm_operator.examine' then return internal.settle_alarms(p_rows, false, p_now);
    when 'alarm_operator.hand_over' then return internal.settle_alarms(p_rows, true, p_now);
    when 'begin_emergency_waits' then return internal.recount_owners(p_rows, p_now);
    when 'tell_emergencies.outage' then return internal.settle_requests(p_rows, p_detail::timestamptz, p_now);
    when 'tell_emergencies.stop' then return internal.stop_waits(p_rows, p_detail::integer, p_now);
    when 'tell_emergencies.tell' then return internal.tell_requests(p_rows, p_now);
    when 'tell_alarms.ask' then return internal.open_unanswered(p_rows, p_now);
    when 'tell_alarms.tell' then return internal.advance_alarms(p_rows, p_now);
    when 'lock_expired_sessions' then return internal.expire_sessions(p_rows, p_now);
    when 'sweep_vaults' then return internal.sweep_vault(p_rows[1], p_detail::integer);
    when 'expire_rows.pass' then return internal.advance_pass(p_rows[1], p_detail::integer, p_now);
    when 'analyze_tables' then return internal.analyze_table(p_rows[1]);
    when 'make_partitions' then
      return internal.make_partition(p_rows[1] ->> 'table', p_rows[1] ->> 'suffix', p_rows[1] ->> 'from', p_rows[1] ->> 'until');
    when 'drop_partitions' then
      return internal.drop_partition(
        p_rows[1] ->> 'kind', p_rows[1] ->> 'name', (p_rows[1] ->> 'since')::timestamptz, (p_rows[1] ->> 'until')::timestamptz
      )::integer;
    -- The steps with the name delete. The type of the rows decides which function it is.
    else return internal.delete_rows(p_rows);
  end case;
  return 0;
end
$$;
comment on function internal.process(text, anyarray, text, timestamptz) is
  'Processes rows that a loop of the worker has claimed: one step of a loop, in one call. For internal.work_off, which also says what the '
  'parameters are.';
grant execute on function internal.process(text, anyarray, text, timestamptz) to kith_worker;
