create or replace function worker.begin_emergency_waits(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and
  -- one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  -- Nobody can check in during an outage, so nothing begins.
  -- Servers that have sent no heartbeat for a minute are an outage that nobody has recorded yet.
  if exists (select from kith.outages where ended_at is null) or internal.awaits_confirmation()
    or (select max(beat_at) from kith.heartbeats where component = 'server') < p_now - interval '60 seconds'
  then
    return 0;
  end if;
  return internal.work_off(
    'begin_emergency_waits', internal.claim_recounts(p_now, p_batch), null, p_now, 'internal.recount_owners($1, $3)'
  );
end
$$;
comment on function worker.begin_emergency_waits(timestamptz, integer) is
  'Counts the missed days of owners who have just missed a ping, and begins the wait of each right that they have been '
  'silent for (E03). A check-in wins over a wait that begins at the same instant: the profile is locked and the days '
  'are counted again. Owners whose rows somebody else has locked are counted on a later call. Counts at most p_batch '
  'owners, and begins the waits of 50; several workers may run it at once. Returns how many. Does nothing while Kith '
  'has an outage. Security definer, because no role may write requests or notifications directly.';
grant execute on function worker.begin_emergency_waits(timestamptz, integer) to kith_worker;

create or replace function internal.recount_owners(p_owners kith.signs_of_life[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_silent kith.signs_of_life[] := internal.silent_owners(p_owners, p_now);
  v_locked kith.signs_of_life[];
  v_tenants integer[];
  v_owners uuid[];
  v_right record;
begin
  -- Few at a time, because their check-ins wait until this commits.
  v_locked := internal.lock_silent_owners(v_silent[1:50]);
  -- The planner inlines the function only without subqueries in its arguments. Otherwise it is planned anew in each
  -- call, for 20 ms.
  v_tenants := array(select owner.tenant_id from unnest(v_locked) as owner);
  v_owners := array(select owner.user_id from unnest(v_locked) as owner);
  -- Count again: a check-in that came before the lock has ended the silence.
  for v_right in
    select silent.*
    from internal.silent_rights(v_tenants, v_owners, p_now) as silent
  loop
    perform internal.begin_silence(v_right.settings, v_right.user_id, v_right.days::integer, p_now);
  end loop;
  return internal.finish_recounts(p_owners, v_silent, v_locked);
end
$$;
comment on function internal.recount_owners(kith.signs_of_life[], timestamptz) is
  'Counts the missed days of the given owners, and begins the waits of those who have been silent for long enough. '
  'Returns how many it has counted. For worker.begin_emergency_waits, which has locked their rows.';

create or replace function internal.claim_recounts(p_now timestamptz, p_batch integer) returns kith.signs_of_life[]
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return array(
    select life
    from kith.signs_of_life as life
    where life.recount_at <= p_now and life.tenant_id <> all (v_deleted)
      and not exists (select from internal.shut_out('begin_emergency_waits', life.tenant_id, life.user_id::text, p_now))
    order by life.recount_at
    limit p_batch
    for no key update of life skip locked
  );
end
$$;
comment on function internal.claim_recounts(timestamptz, integer) is
  'Locks at most p_batch owners whose missed days must be counted. For worker.begin_emergency_waits.';

create or replace function internal.silent_owners(p_owners kith.signs_of_life[], p_now timestamptz)
  returns kith.signs_of_life[]
  language plpgsql
  stable
as $$
begin
  return array(
    select owner
    from unnest(p_owners) as owner
    where exists (select from internal.silent_rights(array[owner.tenant_id], array[owner.user_id], p_now))
  );
end
$$;
comment on function internal.silent_owners(kith.signs_of_life[], timestamptz) is
  'Those of the given owners who have been silent for long enough. For worker.begin_emergency_waits.';

create or replace function internal.lock_silent_owners(p_owners kith.signs_of_life[]) returns kith.signs_of_life[]
  language plpgsql
as $$
declare
  v_owners kith.signs_of_life[];
begin
  -- Nothing here waits: whatever somebody else has locked is left for the next call. So the order does not matter, and
  -- neither does it that the owners' signs of life are locked before their accounts.
  v_owners := array(
    select owner
    from unnest(p_owners) as owner
    join kith.users as account
      on account.tenant_id = owner.tenant_id and account.id = owner.user_id and account.deleted_at is null
    order by owner.tenant_id, owner.user_id
    for key share of account skip locked
  );
  v_owners := array(
    select owner
    from unnest(v_owners) as owner
    join kith.sender_profiles as profile on profile.tenant_id = owner.tenant_id and profile.user_id = owner.user_id
    order by owner.tenant_id, owner.user_id
    for no key update of profile skip locked
  );
  return (
    with locked as materialized (
      select vault.tenant_id, vault.id
      from unnest(v_owners) as owner
      join kith.emergency_settings as given
        on given.tenant_id = owner.tenant_id and given.owner_id = owner.user_id and given.after_missed_days is not null
          and given.ended_at is null
      join kith.vaults as vault on vault.tenant_id = given.tenant_id and vault.id = given.vault_id
      order by vault.tenant_id, vault.id
      for no key update of vault skip locked
    )
    select array_agg(owner)
    from unnest(v_owners) as owner
    where not exists (
      select from kith.emergency_settings as given
      where given.tenant_id = owner.tenant_id and given.owner_id = owner.user_id and given.after_missed_days is not null
        and given.ended_at is null
        and not exists (select from locked where locked.tenant_id = given.tenant_id and locked.id = given.vault_id)
    )
  );
end
$$;
comment on function internal.lock_silent_owners(kith.signs_of_life[]) is
  'Locks the accounts, sender profiles and vaults of owners, and returns those whose rows nobody else had locked. For '
  'worker.begin_emergency_waits.';

create or replace function internal.begin_silence(
  p_right kith.emergency_settings, p_user_id uuid, p_days integer, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_right.tenant_id;
  v_id uuid := internal.uuid7(p_now);
  v_over kith.emergency_requests;
begin
  -- A grant that has run out may still be open. A request that gathers a quorum goes on beside the silence.
  foreach v_over in array internal.open_requests_of_nominee(v_tenant, p_right.nominee_id) loop
    if internal.emergency_status(v_over, p_now) = 'ended' then
      perform internal.end_emergency(v_over, 'expired', null, p_now);
    end if;
  end loop;
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, missed_days, wait_hours, access_level, grant_hours,
    reject_on_check_in, sign_of_life, sources, required, requested_at
  )
  values (
    v_tenant, v_id, p_right.vault_id, p_right.nominee_id, p_right.owner_id, p_user_id, 'silence', p_days,
    p_right.wait_hours, p_right.access_level, p_right.grant_hours, p_right.reject_on_check_in, p_right.sign_of_life,
    p_right.sources, 1, p_now
  );
  -- From here on the owner's policies confine this to the tenant, as they do a request.
  perform set_config('kith.tenant_id', v_tenant::text, true);
  perform internal.begin_wait(v_id, p_now);
  perform internal.leave_tenant();
end
$$;
comment on function internal.begin_silence(kith.emergency_settings, uuid, integer, timestamptz) is
  'Begins the wait of a right after p_days missed days, for the nominee''s account p_user_id (E03). A quorum is not '
  'needed for that. For worker.begin_emergency_waits, which has locked the owner''s profile and the vault.';

create or replace function internal.finish_recounts(
  p_claimed kith.signs_of_life[], p_silent kith.signs_of_life[], p_locked kith.signs_of_life[]
) returns integer
  language plpgsql
as $$
declare
  v_finished integer;
begin
  update kith.signs_of_life as life
  set recount_at = null
  from unnest(p_claimed) as owner
  where life.tenant_id = owner.tenant_id and life.user_id = owner.user_id
    and (
      not exists (
        select from unnest(p_silent) as silent
        where silent.tenant_id = owner.tenant_id and silent.user_id = owner.user_id
      )
      or exists (
        select from unnest(p_locked) as locked
        where locked.tenant_id = owner.tenant_id and locked.user_id = owner.user_id
      )
    );
  get diagnostics v_finished = row_count;
  return v_finished;
end
$$;
comment on function internal.finish_recounts(kith.signs_of_life[], kith.signs_of_life[], kith.signs_of_life[]) is
  'Records that the claimed owners have been counted, except silent ones whose waits are left for a later call. '
  'Returns how many. For worker.begin_emergency_waits.';
