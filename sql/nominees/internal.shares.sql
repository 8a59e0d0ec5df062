-- A share is a vault's link to an external sharing service (C01-C06). The service's participants become nominees, but
-- that alone gives nobody access. Such a nominee has no user until somebody accepts an invitation to it, so access by
-- token works without the service.

create or replace function internal.hold_shared_vault(
  p_vault_id uuid, p_now timestamptz, out vault kith.vaults, out people uuid[]
)
  returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_owner(p_vault_id, p_now);
  people := array(
    select user_id from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and share_participant_id is not null and user_id is not null
      and status <> 'revoked'
  );
  perform from kith.users where tenant_id = v_tenant and id = any (people || v_user) order by id for key share;
  perform internal.lock_account();
  vault := internal.own_vault(p_vault_id, p_now);
end
$$;
comment on function internal.hold_shared_vault(uuid, timestamptz) is
  'Like own_vault, and before that locks the accounts of the participants who are bound to a user, and returns them: '
  'they will be told of a change. For definer procedures.';

create or replace function internal.own_share(p_vault_id uuid) returns kith.shares
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_share kith.shares;
begin
  select * into v_share from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_share;
end
$$;
comment on function internal.own_share(uuid) is
  'The live share of a vault whose ownership the caller has checked. Raises not_found if there is none.';
grant execute on function internal.own_share(uuid) to kith_api;

create or replace function internal.vault_of_share(p_share_id uuid) returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid;
begin
  select vault_id into v_vault
  from kith.shares
  where tenant_id = v_tenant and id = p_share_id and owner_id = v_user and ended_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_vault;
end
$$;
comment on function internal.vault_of_share(uuid) is
  'The vault of a live share of the current user. Raises not_found for another user''s share and for an ended one. For '
  'definer procedures.';

create or replace function internal.share_json(p_share kith.shares) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_share.vault_id;
begin
  return json_build_object(
    'id', p_share.id,
    'vault', (
      select json_build_object('id', vault.id, 'name', vault.name)
      from kith.vaults as vault
      where vault.tenant_id = v_tenant and vault.id = v_vault
    ),
    'record_name', p_share.record_name,
    'url', p_share.url,
    'permission', p_share.permission,
    'participant_count', (
      select count(*)
      from kith.nominees
      where tenant_id = v_tenant and vault_id = v_vault and share_participant_id is not null and status <> 'revoked'
    ),
    'created_at', internal.instant(p_share.created_at),
    'updated_at', internal.instant(p_share.updated_at)
  );
end
$$;
comment on function internal.share_json(kith.shares) is 'A share as its vault''s owner sees it.';
grant execute on function internal.share_json(kith.shares) to kith_api;

create or replace function internal.readable_participant(p_given jsonb) returns jsonb
  language plpgsql
  stable
  parallel safe
as $$
begin
  return (
    select p_given || jsonb_build_object(
      'name', (
        select name from btrim(left(regexp_replace(p_given ->> 'name', '[[:cntrl:]]', ' ', 'g'), 100)) as name
        where internal.is_name(name)
      ),
      -- The server has read the number, and knows the numbering plans. A number that it could not read is empty here.
      'phone', substring(p_given ->> 'phone' from '^\+[1-9][0-9]{6,14}$'),
      'email', substring(left(p_given ->> 'email', 255) from '^[^@[:space:]]{1,64}@[^@[:space:]]{1,189}$')
    )
  );
end
$$;
comment on function internal.readable_participant(jsonb) is
  'A participant with the name, phone and e-mail that can be read, and null for those that cannot. They only describe '
  'the person and give no access, so an unreadable one must not block a synchronization that revokes somebody else.';

create or replace function internal.add_participants(p_share kith.shares, p_given jsonb, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominees uuid[];
begin
  with new as materialized (
    select internal.uuid7(p_now) as nominee_id, new.given, new.given ->> 'acceptance_status' = 'accepted' as is_accepted
    from jsonb_array_elements(p_given) as new (given)
  ),
  made as (
    insert into kith.nominees (
      tenant_id, id, vault_id, owner_id, name, phone, email, status, access_level, invited_at, invited_by_user_id,
      accepted_at, share_record_id, share_participant_id, updated_at
    )
    select v_tenant, nominee_id, p_share.vault_id, p_share.owner_id,
      left(coalesce(given ->> 'name', given ->> 'email', given ->> 'phone', internal.name_of_anybody(null)), 100),
        given ->> 'phone',
      given ->> 'email', case when is_accepted then 'accepted' else 'pending' end,
      case when given ->> 'permission' = 'readWrite' and p_share.permission = 'readWrite' then 'edit' else 'view' end,
        p_now, p_share.owner_id,
      case when is_accepted then p_now end, p_share.record_name, given ->> 'id', p_now
    from new
  ),
  known as (
    insert into kith.share_participants (
      tenant_id, share_id, participant_id, nominee_id, acceptance_status, permission, role, updated_at
    )
    select v_tenant, p_share.id, given ->> 'id', nominee_id, given ->> 'acceptance_status', given ->> 'permission',
      given ->> 'role', p_now
    from new
    on conflict (tenant_id, share_id, participant_id) do update
    set nominee_id = excluded.nominee_id, acceptance_status = excluded.acceptance_status,
      permission = excluded.permission, role = excluded.role, updated_at = excluded.updated_at, removed_at = null
  )
  select array_agg(nominee_id) into v_nominees from new;
  perform internal.emit_nominees(v_nominees, p_now);
  perform internal.record_histories(
    p_share.vault_id, p_share.owner_id, 'nominee.invited', 'nominee', v_nominees, '{"by": "share"}', p_now
  );
  return coalesce(cardinality(v_nominees), 0);
end
$$;
comment on function internal.add_participants(kith.shares, jsonb, timestamptz) is
  'Creates nominees for new and returning participants: [{id, acceptance_status, permission, role, name?, phone?, '
  'email?}]. Returns how many. No user is bound, whatever the name, phone or e-mail. The access level follows the '
  'participant''s permission, up to the share''s; only the owner can grant full. Works on many at once, because there '
  'can be 1,000.';

create or replace function internal.change_nominee_of_participant(p_nominee_id uuid, p_given jsonb, p_now timestamptz)
  returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_accepts boolean;
begin
  select status = 'pending' and user_id is null and p_given ->> 'acceptance_status' = 'accepted' into v_accepts
  from kith.nominees
  where tenant_id = v_tenant and id = p_nominee_id;
  update kith.nominees
  set status = case when v_accepts then 'accepted' else status end,
    accepted_at = case when v_accepts then p_now else accepted_at end,
    name = coalesce(p_given ->> 'name', name),
    -- The service's word is not the owner's.
    contact_named_by = case
      when coalesce(p_given ->> 'phone', phone) is not distinct from phone
        and coalesce(p_given ->> 'email', email) is not distinct from email
        then contact_named_by
    end,
    phone = coalesce(p_given ->> 'phone', phone),
    email = coalesce(p_given ->> 'email', email),
    updated_at = p_now
  where tenant_id = v_tenant and id = p_nominee_id;
  perform internal.emit_nominees(array[p_nominee_id], p_now);
  return v_accepts;
end
$$;
comment on function internal.change_nominee_of_participant(uuid, jsonb, timestamptz) is
  'Applies the sharing service''s new data on a participant to their nominee, except for the level. Returns whether '
  'the nominee has accepted by it. A status never regresses: an accepted nominee stays accepted (and active), a paused '
  'one stays paused, and one who awaits the owner''s confirmation keeps waiting.';

create or replace function internal.forgotten_participant(p_vault_id uuid, p_participant_id text) returns text
  language plpgsql
  immutable
as $$
begin
  return 'erased:' || encode(sha256(convert_to(p_vault_id || '/' || p_participant_id, 'UTF8')), 'hex');
end
$$;
comment on function internal.forgotten_participant(uuid, text) is
  'The id of a participant of a vault''s share whose account was erased: a hash, so that nothing keeps the service''s '
  'id of them, and the service''s next list does not bring them back (A04).';

create or replace function internal.is_forgotten_participant(p_participant_id text) returns boolean
  language plpgsql
  immutable
as $$
begin
  return p_participant_id ~ '^erased:[0-9a-f]{64}$';
end
$$;
comment on function internal.is_forgotten_participant(text)
  is 'Whether this is the id of a participant whose account was erased.';

create or replace function internal.forgotten_outcome(p_share kith.shares, p_given jsonb, p_now timestamptz)
  returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_is_removed boolean := p_given ->> 'acceptance_status' = 'removed';
  v_known kith.share_participants;
begin
  select * into v_known
  from kith.share_participants
  where tenant_id = v_tenant and share_id = p_share.id
    and participant_id = internal.forgotten_participant(p_share.vault_id, p_given ->> 'id');
  if v_known.participant_id is null then
    return case when v_is_removed then 'unchanged' else 'created' end;
  elsif v_is_removed then
    update kith.share_participants set acceptance_status = 'removed', updated_at = p_now
    where tenant_id = v_tenant and share_id = p_share.id and participant_id = v_known.participant_id;
    return 'unchanged';
  elsif v_known.acceptance_status = 'removed' then
    delete from kith.share_participants
    where tenant_id = v_tenant and share_id = p_share.id and participant_id = v_known.participant_id;
    return 'created';
  end if;
  return 'unchanged';
end
$$;
comment on function internal.forgotten_outcome(kith.shares, jsonb, timestamptz) is
  'What the service''s data on a participant without a nominee means: created for somebody new, and unchanged for one '
  'whose account was erased, until the service has removed them and shares with them anew. For '
  'internal.store_participant.';

create or replace function internal.store_participant(
  p_share kith.shares, p_given jsonb, p_now timestamptz, out outcome text, out ended_id uuid, out accepted_id uuid,
  out lowered_id uuid
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_acceptance text := p_given ->> 'acceptance_status';
  v_permission text := p_given ->> 'permission';
  v_role text := p_given ->> 'role';
  v_known kith.share_participants;
  v_nominee kith.nominees;
  v_is_gone boolean;
begin
  select * into v_known
  from kith.share_participants
  where tenant_id = v_tenant and share_id = p_share.id and participant_id = p_given ->> 'id';
  if not found then
    outcome := internal.forgotten_outcome(p_share, p_given, p_now);
    return;
  end if;
  select * into v_nominee from kith.nominees where tenant_id = v_tenant and id = v_known.nominee_id;
  v_is_gone := v_nominee.status = 'revoked';
  -- A person whom the owner has removed here does not return as long as the service repeats its previous data.
  if v_acceptance = v_known.acceptance_status and (
    v_is_gone or v_permission = v_known.permission and v_role = v_known.role
      and coalesce(p_given ->> 'name', v_nominee.name) is not distinct from v_nominee.name
      and coalesce(p_given ->> 'phone', v_nominee.phone) is not distinct from v_nominee.phone
      and coalesce(p_given ->> 'email', v_nominee.email) is not distinct from v_nominee.email
  ) then
    outcome := 'unchanged';
    return;
  elsif v_is_gone and v_acceptance <> 'removed' then
    outcome := 'created';
    return;
  end if;
  update kith.share_participants
  set acceptance_status = v_acceptance, permission = v_permission, role = v_role, updated_at = p_now,
    removed_at = case when v_acceptance = 'removed' then coalesce(removed_at, p_now) end
  where tenant_id = v_tenant and share_id = p_share.id and participant_id = v_known.participant_id;
  if v_is_gone then
    outcome := 'unchanged';
  elsif v_acceptance = 'removed' then
    outcome := 'revoked';
    ended_id := v_nominee.id;
  else
    outcome := 'updated';
    if internal.change_nominee_of_participant(v_nominee.id, p_given, p_now) then
      accepted_id := v_nominee.id;
    end if;
    -- The service never raises a level.
    if v_nominee.access_level = 'edit' and v_known.permission = 'readWrite' and v_permission = 'readOnly' then
      lowered_id := v_nominee.id;
    end if;
  end if;
end
$$;
comment on function internal.store_participant(kith.shares, jsonb, timestamptz) is
  'Stores the sharing service''s data on one participant (C01). The outcome is one of: unchanged; updated; created (a '
  'new or returning participant, whom add_participants must create); revoked (the nominee ended_id, whom end_nominees '
  'must end). accepted_id is the nominee who has accepted by it, for the history. lowered_id is the nominee who can no '
  'longer edit, for internal.set_level. The caller must have locked the vault.';

create or replace function internal.replace_missing_share(p_share kith.shares, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_share.vault_id;
  v_missing uuid;
  v_nominees uuid[];
begin
  select id into v_missing
  from kith.shares
  where tenant_id = v_tenant and vault_id = v_vault and missing_at is not null
  order by id desc
  limit 1;
  v_nominees := array(
    select nominee_id from kith.share_participants where tenant_id = v_tenant and share_id = v_missing
  );
  perform from kith.nominees where tenant_id = v_tenant and id = any (v_nominees) order by id for no key update;
  update kith.nominees set share_record_id = p_share.record_name, updated_at = p_now
  where tenant_id = v_tenant and id = any (v_nominees) and status <> 'revoked'
    and share_record_id is distinct from p_share.record_name;
  update kith.share_participants set share_id = p_share.id where tenant_id = v_tenant and share_id = v_missing;
  perform internal.emit_nominees(v_nominees, p_now);
end
$$;
comment on function internal.replace_missing_share(kith.shares, timestamptz) is
  'Gives a new share the participants of the last one whose record was missing. The service knows its people by the '
  'same ids, so that their nominees stay the same. The caller must have locked the vault.';

create or replace function internal.refuse_repeated_participants(p_participants jsonb) returns void
  language plpgsql
  stable
as $$
begin
  perform internal.refuse_fields((
    select coalesce(
      jsonb_agg(
        jsonb_build_object('field', format('participants[%s].id', n - 1), 'message', 'is in the list already')
        order by n
      ),
      '[]'
    )
    from (
      select n, row_number() over (partition by given.value ->> 'id' order by n) as occurrence
      from jsonb_array_elements(p_participants) with ordinality as given (value, n)
    ) as numbered
    where occurrence > 1
  ));
end
$$;
comment on function internal.refuse_repeated_participants(jsonb) is
  'Raises validation_failed if the list names a participant twice.';
