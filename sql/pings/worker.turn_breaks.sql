create or replace function worker.turn_breaks(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  return internal.work_off(
    'turn_breaks.end', internal.claim_ended_breaks(p_now, p_batch), null, p_now, 'internal.end_breaks($1, $3)'
  )
    + internal.work_off(
      'turn_breaks.begin', internal.claim_begun_breaks(p_now, p_batch), null, p_now, 'internal.begin_breaks($1, $3)'
    );
end
$$;
comment on function worker.turn_breaks(timestamptz, integer) is
  'Tells receivers of breaks when they begin at the sender''s midnight and when they end. Ping generation reads the '
  'dates itself and does not depend on this. Handles at most p_batch of each; several workers may run it at once. '
  'Returns how many. Security definer, because no role may write notifications except together with their cause.';
grant execute on function worker.turn_breaks(timestamptz, integer) to kith_worker;

create or replace function internal.claim_ended_breaks(p_now timestamptz, p_batch integer) returns kith.breaks[]
  language plpgsql
as $$
begin
  return array(
    select pause
    from kith.breaks as pause
    where pause.ended_at is null and pause.ends_at <= p_now
      and not exists (select from internal.shut_out('turn_breaks', pause.tenant_id, pause.id::text, p_now))
    order by pause.ends_at
    limit p_batch
    for no key update of pause skip locked
  );
end
$$;
comment on function internal.claim_ended_breaks(timestamptz, integer) is
  'Locks at most p_batch breaks that are over. For worker.turn_breaks.';

create or replace function internal.claim_begun_breaks(p_now timestamptz, p_batch integer) returns kith.breaks[]
  language plpgsql
as $$
begin
  return array(
    select pause
    from kith.breaks as pause
    where pause.ended_at is null and pause.told_until_on is distinct from pause.until_on and pause.starts_at <= p_now
      and pause.ends_at > p_now
      and not exists (select from internal.shut_out('turn_breaks', pause.tenant_id, pause.id::text, p_now))
    order by pause.starts_at
    limit p_batch
    for no key update of pause skip locked
  );
end
$$;
comment on function internal.claim_begun_breaks(timestamptz, integer) is
  'Locks at most p_batch breaks that have begun or changed, and of which nobody was told. For worker.turn_breaks.';

create or replace function internal.end_breaks(p_breaks kith.breaks[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_break kith.breaks;
  v_resumed uuid[];
  v_ended integer := 0;
begin
  foreach v_break in array p_breaks loop
    -- Connections are locked before breaks, so nothing here may wait for one: the next call ends the break.
    v_resumed := internal.resumed_connections(v_break.tenant_id, v_break.user_id);
    continue when v_resumed <> array(
      select id from kith.connections
      where tenant_id = v_break.tenant_id and id = any (v_resumed)
      order by id
      for no key update skip locked
    );
    update kith.breaks
    set ended_at = p_now, updated_at = p_now
    where tenant_id = v_break.tenant_id and id = v_break.id;
    perform internal.tell_of_break_end(v_break, p_now);
    v_ended := v_ended + 1;
    perform internal.emit_connections_of_sender(v_break.tenant_id, v_break.user_id, p_now);
    perform internal.emit_account(v_break.tenant_id, v_break.user_id, p_now);
  end loop;
  return v_ended;
end
$$;
comment on function internal.end_breaks(kith.breaks[], timestamptz) is
  'Ends the given breaks, and tells of it. Returns how many. For worker.turn_breaks, which has locked them.';

create or replace function internal.begin_breaks(p_breaks kith.breaks[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_break kith.breaks;
begin
  foreach v_break in array p_breaks loop
    perform internal.begin_break(v_break, p_now);
    perform internal.emit_connections_of_sender(v_break.tenant_id, v_break.user_id, p_now);
    perform internal.emit_account(v_break.tenant_id, v_break.user_id, p_now);
  end loop;
  return cardinality(p_breaks);
end
$$;
comment on function internal.begin_breaks(kith.breaks[], timestamptz) is
  'Tells of the given breaks, which have begun. Returns how many. For worker.turn_breaks, which has locked them.';
