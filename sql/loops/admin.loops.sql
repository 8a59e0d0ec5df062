-- The pace of the workers' loops: admin.loops lists it, and kith top and kith doctor show where it is not the usual
-- one.

create or replace function internal.paces(p_loops jsonb)
  returns table (
    loop text, batch integer, pause interval, usual_batch integer, usual_pause interval, is_usual boolean, pace text
  )
  language sql
  stable
  parallel safe
as $$
  select noted.loop, noted.batch, make_interval(secs => noted.pause_ms / 1000.0), noted.usual_batch,
    make_interval(secs => noted.usual_pause_ms / 1000.0),
    (noted.batch, noted.pause_ms) is not distinct from (noted.usual_batch, noted.usual_pause_ms),
    concat_ws(
      ', ', format(
        '%s %s', noted.loop, concat_ws(' ', noted.batch, format('every %s s', trim_scale(noted.pause_ms / 1000.0)))
      ),
      format(
        'usually %s', concat_ws(' ', noted.usual_batch, format('every %s s', trim_scale(noted.usual_pause_ms / 1000.0)))
      )
    )
  from jsonb_to_recordset(p_loops) as noted (
    loop text, batch integer, pause_ms integer, usual_batch integer, usual_pause_ms integer
  )
$$;
comment on function internal.paces(jsonb) is
  'The loops of kith.heartbeats.loops: how many rows each takes at once, how long it rests when it finds none, the '
  'usual numbers, and both in words.';
grant execute on function internal.paces(jsonb) to kith_reader;

drop view if exists admin.loops;
create view admin.loops with (security_barrier, security_invoker) as
select heartbeat.instance, known.loop, known.batch, known.pause, known.usual_batch, known.usual_pause, known.is_usual,
  known.pace
from kith.heartbeats as heartbeat
cross join lateral internal.paces(heartbeat.loops) as known
where heartbeat.component = 'worker' and heartbeat.stopped_at is null
  and heartbeat.beat_at > now() - interval '1 minute';
comment on view admin.loops is
  'The loops of the running workers: how many rows each takes at once, and how long it rests when it finds none. '
  'KITH_WORKER_LOOPS changes it: select * from admin.loops where not is_usual.';
comment on column admin.loops.instance is 'The machine and the process id of the worker.';
comment on column admin.loops.loop is 'The name of the loop, and of its procedure in schema worker.';
comment on column admin.loops.batch
  is 'The most rows that one transaction takes. Null for a loop that does everything at once.';
comment on column admin.loops.pause is 'How long it rests when it finds no work.';
comment on column admin.loops.usual_batch is 'The batch without KITH_WORKER_LOOPS.';
comment on column admin.loops.usual_pause is 'The pause without KITH_WORKER_LOOPS.';
comment on column admin.loops.is_usual is 'Whether both are the usual ones.';
comment on column admin.loops.pace is 'Both in words.';
grant select on admin.loops to kith_reader;
