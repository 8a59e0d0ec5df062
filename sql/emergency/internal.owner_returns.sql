-- The owner's return: a sign of life ends what waits, where the owner chose so (E03, E07).

create or replace function internal.was_asked(p_request kith.emergency_requests, p_since timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications as told
    where told.tenant_id = p_request.tenant_id and told.user_id = p_request.owner_id
      and told.id >= internal.first_uuid7(p_since)
      and told.data ->> 'request_id' = p_request.id::text and told.data ->> 'detail' = 'checked_in'
  );
end
$$;
comment on function internal.was_asked(kith.emergency_requests, timestamptz) is
  'Whether the owner has read since p_since that a check-in of theirs does not end a request. For '
  'internal.ask_returned_owner.';

create or replace function internal.ask_returned_owner(p_request kith.emergency_requests, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_status text := internal.emergency_status(p_request, p_now);
begin
  if v_status not in ('waiting', 'granted') or internal.was_asked(p_request, p_now - interval '10 minutes') then
    return;
  end if;
  perform internal.wake_emergency(
    p_request,
    internal.tell_emergency(
      p_request, case v_status when 'granted' then 'emergency_opened' else 'emergency_reminder' end,
      'owner', 'checked_in', p_now
    ),
    p_request.notice_at
  );
end
$$;
comment on function internal.ask_returned_owner(kith.emergency_requests, timestamptz) is
  'Reminds an owner who has just checked in of a request that this does not end: they decide (E07). Whoever checks in '
  'again and again reads it every 10 minutes. A notice from before the check-in does not do: who has read it may take '
  'the check-in for the end.';

create or replace function internal.end_emergencies_by_sign(
  p_tenant_id integer, p_owner_id uuid, p_source text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_requests uuid[];
  v_id uuid;
begin
  perform from kith.vaults as vault
  where vault.tenant_id = p_tenant_id and vault.id = any (array(
    select request.vault_id from kith.emergency_requests as request
    where request.tenant_id = p_tenant_id and request.owner_id = p_owner_id and request.ended_at is null
  ))
  order by vault.id
  for no key update;
  v_requests := array(
    select id
    from kith.emergency_requests
    where tenant_id = p_tenant_id and owner_id = p_owner_id and ended_at is null
      and (p_source is not null or sign_of_life = 'any_use')
    order by id
    for update
  );
  -- Each end can change other requests of a quorum, and a cursor leaves out rows that have changed before it locks
  -- them.
  foreach v_id in array v_requests loop
    select * into v_request from kith.emergency_requests where tenant_id = p_tenant_id and id = v_id;
    -- A check-in that the server received before the silence began its wait: the silence was none, whatever the terms.
    if v_request.reject_on_check_in and coalesce(p_source = any (v_request.sources), true)
      or p_source is not null and v_request.cause = 'silence' and v_request.requested_at > p_now
    then
      -- The clock of the server that took the sign of life may be behind the one that began the wait.
      perform internal.end_emergency(
        v_request, 'owner_returned', p_owner_id, greatest(p_now, v_request.requested_at, v_request.waits_from)
      );
    elsif p_source is not null then
      perform internal.ask_returned_owner(v_request, p_now);
    end if;
  end loop;
  perform internal.tell_of_stops(p_tenant_id, touched.vault_id, p_now)
  from (
    select distinct vault_id from kith.emergency_requests where tenant_id = p_tenant_id and id = any (v_requests)
  ) as touched;
end
$$;
comment on function internal.end_emergencies_by_sign(integer, uuid, text, timestamptz) is
  'Ends the open requests and grants of an owner who checks in by p_source, or (null) uses the app, if their terms say '
  'that this rejects them, and a wait by silence that began after the server had received the check-in, p_now. Of the '
  'others the owner is reminded when they check in. For definer procedures.';

create or replace function internal.end_emergencies_by_tap(
  p_tenant_id integer, p_owner_id uuid, p_source text, p_at timestamptz, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_request kith.emergency_requests;
  v_requests uuid[];
  v_id uuid;
begin
  perform from kith.vaults as vault
  where vault.tenant_id = p_tenant_id and vault.id = any (array(
    select request.vault_id from kith.emergency_requests as request
    where request.tenant_id = p_tenant_id and request.owner_id = p_owner_id and request.ended_at is null
  ))
  order by vault.id
  for no key update;
  v_requests := array(
    select id from kith.emergency_requests
    where tenant_id = p_tenant_id and owner_id = p_owner_id and ended_at is null
    order by id
    for update
  );
  foreach v_id in array v_requests loop
    select * into v_request from kith.emergency_requests where tenant_id = p_tenant_id and id = v_id;
    -- It takes away a day that was counted when the silence began. One from after that takes none away.
    if v_request.cause = 'silence' and v_request.requested_at > p_at and v_request.missed_days > coalesce(
      (
        select row.days
        from internal.missed_row(
          p_tenant_id, p_owner_id, internal.since_sign_of_life(p_at, v_request.requested_at), v_request.requested_at
        ) as row
      ), 0
    ) or v_request.requested_at <= p_at and v_request.reject_on_check_in and p_source = any (v_request.sources) then
      perform internal.end_emergency(
        v_request, 'owner_returned', p_owner_id, greatest(p_now, v_request.requested_at, v_request.waits_from),
        p_is_old_sign => true
      );
    elsif v_request.requested_at <= p_at then
      perform internal.ask_returned_owner(v_request, p_now);
    end if;
  end loop;
  -- What ended may have kept the days after the tap from beginning a wait of their own.
  update kith.signs_of_life as life set recount_at = p_now
  where life.tenant_id = p_tenant_id and life.user_id = p_owner_id and exists (
    select from kith.emergency_settings as given
    where given.tenant_id = p_tenant_id and given.owner_id = p_owner_id and given.after_missed_days is not null
      and given.ended_at is null
  );
end
$$;
comment on function internal.end_emergencies_by_tap(integer, uuid, text, timestamptz, timestamptz) is
  'What a check-in that was tapped at p_at, and arrived later, does to the open requests and grants of an owner (J07): '
  'it is a sign of life of that moment. It ends what was asked before, if the terms say so, and a silence if it takes '
  'away a day that was counted. The days that were missed since the tap are counted anew. For definer procedures.';

create or replace function internal.end_emergencies_by_check_in(
  p_tenant_id integer, p_owner_id uuid, p_source text, p_at timestamptz, p_now timestamptz
) returns void
  language plpgsql
as $$
begin
  if p_at < p_now - interval '60 seconds' then
    perform internal.end_emergencies_by_tap(p_tenant_id, p_owner_id, p_source, p_at, p_now);
  else
    perform internal.end_emergencies_by_sign(p_tenant_id, p_owner_id, p_source, p_now);
  end if;
  update kith.sender_profiles
  set emergency_since = null
  where tenant_id = p_tenant_id and user_id = p_owner_id and emergency_since is not null and not exists (
    select from kith.emergency_requests
    where tenant_id = p_tenant_id and owner_id = p_owner_id and ended_at is null
  );
end
$$;
comment on function internal.end_emergencies_by_check_in(integer, uuid, text, timestamptz, timestamptz) is
  'What a check-in by p_source, which speaks for p_at, does to the requests for emergency access to the sender''s '
  'vaults. Once none is open, further check-ins no longer look. For api.check_in, which has locked the sender''s '
  'profile: so has whoever begins a wait, and of the two the check-in wins.';

create or replace function internal.is_seen(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.signs_of_life as life
    where life.tenant_id = p_tenant_id and life.user_id = p_user_id
      and coalesce(life.seen_at <= p_now - interval '1 minute', true)
      and (
        exists (
          select from kith.emergency_settings as given
          where given.tenant_id = p_tenant_id and given.owner_id = p_user_id and given.sign_of_life = 'any_use'
            and given.ended_at is null
        )
        or exists (
          select from kith.emergency_requests as request
          where request.tenant_id = p_tenant_id and request.owner_id = p_user_id and request.ended_at is null
            and request.sign_of_life = 'any_use'
        )
      )
  );
end
$$;
comment on function internal.is_seen(integer, uuid, timestamptz) is
  'Whether a use of the app at p_now must be recorded: a right of the user counts any use as a sign of life, and none '
  'was recorded in the last minute. Whoever has given no such right leaves no trace. For internal.note_use.';

create or replace function internal.note_use(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  if not internal.is_seen(p_tenant_id, p_user_id, p_now) then
    return;
  end if;
  -- Vaults and requests are locked before signs of life.
  perform internal.end_emergencies_by_sign(p_tenant_id, p_user_id, null, p_now);
  update kith.signs_of_life set seen_at = greatest(seen_at, p_now)
  where tenant_id = p_tenant_id and user_id = p_user_id;
  -- The worker may have begun a wait while this waited for the row.
  if exists (
    select from kith.emergency_requests
    where tenant_id = p_tenant_id and owner_id = p_user_id and ended_at is null and sign_of_life = 'any_use'
      and reject_on_check_in
  ) then
    perform internal.end_emergencies_by_sign(p_tenant_id, p_user_id, null, p_now);
  end if;
end
$$;
comment on function internal.note_use(integer, uuid, timestamptz) is
  'Records that a user has used the app, at most once a minute, if a right of theirs counts any use as a sign of life, '
  'and ends what that ends (E03). For everybody else it is one look at an index. For definer procedures.';

create or replace function internal.watch_check_ins(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.sender_profiles set emergency_since = p_now
  where tenant_id = v_tenant and user_id = p_user_id and emergency_since is null
    and exists (
      select from kith.emergency_requests where tenant_id = v_tenant and owner_id = p_user_id and ended_at is null
    );
end
$$;
comment on function internal.watch_check_ins(uuid, timestamptz) is
  'Lets the check-ins of somebody who has just become a sender end requests for emergency access that are open. For '
  'definer procedures that have locked the account.';
