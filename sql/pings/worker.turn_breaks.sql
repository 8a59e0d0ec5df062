create or replace function worker.turn_breaks(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_break kith.breaks;
  v_turned integer := 0;
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  for v_break in
    select *
    from kith.breaks
    where ended_at is null and ends_at <= p_now
    order by ends_at
    limit p_batch
    for no key update skip locked
  loop
    update kith.breaks
    set ended_at = p_now, updated_at = p_now
    where tenant_id = v_break.tenant_id and id = v_break.id;
    -- If no worker ran during the break, nobody was told that it began, so nobody is told that it ended.
    if v_break.told_until_on is not null then
      perform internal.tell_of_break(v_break, 'break_ended', p_now);
    end if;
    perform internal.emit_connections_of_sender(v_break.tenant_id, v_break.user_id, p_now);
    perform internal.emit_account(v_break.tenant_id, v_break.user_id, p_now);
    v_turned := v_turned + 1;
  end loop;

  for v_break in
    select *
    from kith.breaks
    where ended_at is null and told_until_on is distinct from until_on and starts_at <= p_now and ends_at > p_now
    order by starts_at
    limit p_batch
    for no key update skip locked
  loop
    perform internal.begin_break(v_break, p_now);
    perform internal.emit_connections_of_sender(v_break.tenant_id, v_break.user_id, p_now);
    perform internal.emit_account(v_break.tenant_id, v_break.user_id, p_now);
    v_turned := v_turned + 1;
  end loop;
  return v_turned;
end
$$;
comment on function worker.turn_breaks(timestamptz, integer) is
  'Tells receivers of breaks when they begin at the sender''s midnight and when they end. Ping generation reads the dates itself and does not depend on this. Handles at most p_batch of each; several workers may run it at once. Returns how many. Security definer, because no role may write notifications except together with their cause.';
revoke all on function worker.turn_breaks(timestamptz, integer) from public;
grant execute on function worker.turn_breaks(timestamptz, integer) to kith_worker;
