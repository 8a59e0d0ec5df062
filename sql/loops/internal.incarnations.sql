-- After a restore, the database knows less than the world: what was told, revoked or answered since then is lost. An
-- incarnation is a cluster with its timeline. A new one that begins long after the last heartbeat may be a restore, or
-- a copy of the database. Until an operator has said which (admin.confirm_restore), servers take check-ins, and nobody
-- is told anything.

create or replace function internal.incarnation(out system_identifier bigint, out timeline integer)
  language plpgsql
  stable
as $$
begin
  system_identifier := (select control.system_identifier from pg_control_system() as control);
  timeline := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
end
$$;
comment on function internal.incarnation() is
  'The cluster and the timeline on which the database lives now. The timeline comes from the WAL: the control file '
  'gets it only at the first checkpoint.';
grant execute on function internal.incarnation() to kith_reader;

create or replace function internal.awaits_confirmation() returns boolean
  language plpgsql
  stable
as $$
declare
  v_now record;
begin
  -- A standby has no WAL position of its own. It is of the same incarnation as its primary, and promotes nothing by
  -- being read.
  if pg_is_in_recovery() then
    return false;
  end if;
  v_now := internal.incarnation();
  return not exists (
    select from kith.incarnations
    where system_identifier = v_now.system_identifier and timeline = v_now.timeline and confirmed_at is not null
  ) and exists (select from kith.incarnations);
end
$$;
comment on function internal.awaits_confirmation() is
  'Whether this incarnation has not been confirmed, by an operator or, if it began within 5 minutes of the last '
  'heartbeat, by itself. False in a database without any heartbeat, and on a standby, which is only read. Every '
  'procedure of the worker that tells somebody something asks this first, and does nothing while it is true.';

create or replace function internal.restored_reason() returns text
  language sql
  immutable
  parallel safe
as $$
  select 'The database was restored from a back-up.'
$$;
comment on function internal.restored_reason()
  is 'The reason of the holds that a restore begins, by which they are found again.';
