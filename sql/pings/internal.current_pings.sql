create or replace function internal.current_pings_since() returns date
  language sql
  immutable
  parallel safe
as $$ select date '-infinity' $$;
comment on function internal.current_pings_since() is
  'The date from which on a ping can be open or today''s. A condition ping_on >= internal.current_pings_since() '
  'changes no result. It is a constant to the planner, which leaves the partitions of older months out of the plan: at '
  'each execution, PostgreSQL locks every partition that a plan holds. worker.note_current_pings replaces the date. '
  'Until it first does, no month is left out.';
grant execute on function internal.current_pings_since() to kith_api;
