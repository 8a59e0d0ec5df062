drop view if exists admin.incarnations;
create view admin.incarnations with (security_barrier, security_invoker) as
select
  incarnation.timeline,
  incarnation.noticed_at,
  incarnation.restored_to,
  incarnation.served_until,
  incarnation.served_until - incarnation.restored_to as lost,
  incarnation.confirmed_at,
  incarnation.confirmed_by,
  incarnation.system_identifier = here.system_identifier and incarnation.timeline = here.timeline as is_current
from kith.incarnations as incarnation
cross join internal.incarnation() as here;
comment on view admin.incarnations is
  'The clusters and timelines on which this database has lived: restores, promotions of standbys, copies.';
comment on column admin.incarnations.timeline is 'PostgreSQL''s timeline.';
comment on column admin.incarnations.noticed_at is 'When Kith first saw it.';
comment on column admin.incarnations.restored_to is
  'The newest heartbeat in the database at that time: the past to which it went back. Null for the first.';
comment on column admin.incarnations.served_until is
  'Until when the previous incarnation served, if what it did since restored_to is lost.';
comment on column admin.incarnations.lost is 'The length of the lost time.';
comment on column admin.incarnations.confirmed_at is
  'When an operator, or Kith itself after a short gap, confirmed it. Until then the worker tells nobody anything.';
comment on column admin.incarnations.confirmed_by is 'Who confirmed it.';
comment on column admin.incarnations.is_current is 'Whether the database lives there now.';
grant select on admin.incarnations to kith_reader;

create or replace function admin.declare_restore(
  p_reason text, p_restored_to timestamptz default null, p_now timestamptz default now()
)
  returns timestamptz
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_now kith.incarnations;
  v_last timestamptz;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.require_reason(p_reason);
  v_now := internal.notice_incarnation(p_now);
  v_last := coalesce(p_restored_to, (select max(beat_at) from kith.heartbeats));
  if coalesce(v_last >= p_now, true) then
    perform internal.refuse_fields(internal.field_error(
      'p_restored_to', 'must be in the past; without it, the newest heartbeat counts, so this database must have one'
    ));
  end if;
  update kith.incarnations
  set noticed_at = p_now, restored_to = v_last, confirmed_at = null, confirmed_by = null, served_until = null
  where system_identifier = v_now.system_identifier and timeline = v_now.timeline;
  perform internal.hold_the_past(p_now);
  perform internal.record_act(0, internal.operator(), 'restore.declare', v_now.timeline::text, jsonb_build_object(
    'reason', p_reason, 'restored_to', internal.instant(v_last)
  ));
  return v_last;
end
$$;
comment on function admin.declare_restore(text, timestamptz, timestamptz) is
  'Says that the database was restored where Kith cannot see it: by a snapshot of the disk, or within five minutes. '
  'Call it before servers and workers start, or name the instant to which it went back. The worker then tells nobody '
  'anything until admin.confirm_restore, and vaults close. Returns that instant. The reason is kept in the audit.';
grant execute on function admin.declare_restore(text, timestamptz, timestamptz) to kith_admin;

create or replace function internal.begin_confirmation(p_reason text, p_now timestamptz) returns kith.incarnations
  language plpgsql
as $$
declare
  v_incarnation kith.incarnations;
begin
  if coalesce(char_length(p_reason) not between 1 and 500, true) then
    perform internal.refuse_fields(internal.field_error('reason', 'must have 1 to 500 characters'));
  end if;
  v_incarnation := internal.notice_incarnation(p_now);
  select * into v_incarnation
  from kith.incarnations
  where system_identifier = v_incarnation.system_identifier and timeline = v_incarnation.timeline
  for update;
  if v_incarnation.restored_to is null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This database has not been restored, as far as Kith can see.',
      hint = 'After a snapshot of the disk: select admin.declare_restore(''why'');';
  elsif v_incarnation.served_until is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This restore has been confirmed already.',
      hint = 'select * from admin.incarnations';
  end if;
  return v_incarnation;
end
$$;
comment on function internal.begin_confirmation(text, timestamptz) is
  'Returns the current incarnation, locked. Raises invalid_transition if it is the first, or was confirmed as a '
  'restore. For admin.confirm_restore and admin.confirm_nothing_lost.';

create or replace function admin.confirm_restore(
  p_served_until timestamptz, p_ends_sign_ins boolean, p_reason text, p_now timestamptz default now(),
  out restored_to timestamptz, out sign_ins_ended bigint, out pings_closed bigint, out pings_begun_again bigint,
  out deliveries_dropped bigint, out notifications_dropped bigint, out emergency_requests_held bigint
)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_incarnation kith.incarnations;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  v_incarnation := internal.begin_confirmation(p_reason, p_now);
  restored_to := v_incarnation.restored_to;
  if coalesce(p_served_until <= restored_to or p_served_until > p_now, true) then
    perform internal.refuse_fields(internal.field_error(
      'served_until',
      format(
        'must be after %s, to which the database was restored, and not in the future', internal.instant(restored_to)
      )
    ));
  elsif p_ends_sign_ins is null then
    perform internal.refuse_fields(internal.field_error('ends_sign_ins', 'must be true or false'));
  end if;
  sign_ins_ended := case when p_ends_sign_ins then internal.end_all_sign_ins(p_now) else 0 end;
  select settled.closed, settled.begun_again into pings_closed, pings_begun_again
  from internal.settle_lost_pings(p_served_until, p_now) as settled;
  perform internal.hold_the_past(p_now);
  emergency_requests_held := internal.release_the_past(p_now + interval '24 hours', p_now);
  select dropped.deliveries, dropped.notifications into deliveries_dropped, notifications_dropped
  from internal.drop_lost_messages(p_served_until, p_now) as dropped;
  update kith.incarnations
  set confirmed_at = p_now, confirmed_by = internal.operator(), served_until = p_served_until
  where system_identifier = v_incarnation.system_identifier and timeline = v_incarnation.timeline;
  perform internal.record_act(0, internal.operator(), 'restore.confirm', v_incarnation.timeline::text,
    jsonb_build_object(
    'reason', p_reason, 'restored_to', internal.instant(restored_to), 'served_until', internal.instant(p_served_until),
    'ends_sign_ins', p_ends_sign_ins
  ));
  raise notice 'Accounts that were erased from % to % are back, and must be erased again.',
    internal.shown_instant(restored_to), internal.shown_instant(p_served_until)
    using hint =
      'PostgreSQL''s log of that time has a line "kith erased" for each, with the statement to run (deploy/README.md, '
      'Back-up and restore).';
end
$$;
comment on function admin.confirm_restore(timestamptz, boolean, text, timestamptz) is
  'Confirms that the database was restored, and that what the previous installation did until p_served_until is lost. '
  'Lets the worker go on, after it has made sure that nobody is told again, falsely alarmed, or let in by what was '
  'true before. Call it before users do much on the restored database. p_ends_sign_ins says whether all users must '
  'sign in again: true if somebody may have signed out or lost a device in the lost time, false if it is so short that '
  'this is unlikely. The reason is kept in the audit. Accounts that were erased in the lost time are back, and must be '
  'erased again: PostgreSQL''s log has a line "kith erased" for each.';
grant execute on function admin.confirm_restore(timestamptz, boolean, text, timestamptz) to kith_admin;

create or replace function admin.confirm_nothing_lost(p_reason text, p_now timestamptz default now()) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_incarnation kith.incarnations;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  v_incarnation := internal.begin_confirmation(p_reason, p_now);
  if v_incarnation.confirmed_at is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This incarnation has been confirmed already.';
  end if;
  perform internal.release_the_past(null, p_now);
  update kith.incarnations
  set confirmed_at = p_now, confirmed_by = internal.operator()
  where system_identifier = v_incarnation.system_identifier and timeline = v_incarnation.timeline;
  perform internal.record_act(
    0, internal.operator(), 'restore.nothing_lost', v_incarnation.timeline::text, jsonb_build_object('reason', p_reason)
  );
  return
    'the worker goes on, and so do the requests for emergency access that were held; opened vaults stay closed until '
    'somebody opens them again';
end
$$;
comment on function admin.confirm_nothing_lost(text, timestamptz) is
  'Confirms that this cluster has everything that was acknowledged: a standby was promoted or the database moved while '
  'nobody served. Lets the worker go on, and releases the requests for emergency access. Opened vaults stay closed '
  'until somebody opens them again. The reason is kept in the audit. Returns what follows.';
grant execute on function admin.confirm_nothing_lost(text, timestamptz) to kith_admin;
