-- What the kept answers of POST requests (kith.idempotency_keys) name, and whether their caller may still have them.

create or replace function internal.hidden_subjects(p_subject_ids uuid[], p_now timestamptz) returns uuid[]
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_server boolean := kith.user_id() is null;
begin
  if cardinality(p_subject_ids) = 0 then
    return '{}';
  end if;
  return array(
    select id from kith.users where tenant_id = v_tenant and id = any (p_subject_ids) and deleted_at is not null
    union all
    select vault.id
    from kith.vaults as vault
    where vault.tenant_id = v_tenant and vault.id = any (p_subject_ids) and (
      vault.deleted_at is not null
      or not v_server and vault.owner_id <> v_user and not exists (
        select from kith.nominees as nominee
        where nominee.tenant_id = v_tenant and nominee.vault_id = vault.id and nominee.user_id = v_user
          and nominee.status in ('pending', 'accepted')
      )
    )
    union all
    select id
    from kith.connections
    where tenant_id = v_tenant and id = any (p_subject_ids) and (
      status = 'deleted' or not v_server and v_user <> sender_id and v_user <> receiver_id
    )
    union all
    select id from kith.documents where tenant_id = v_tenant and id = any (p_subject_ids) and deleted_at is not null
    union all
    select request.id
    from kith.emergency_requests as request
    where request.tenant_id = v_tenant and request.id = any (p_subject_ids) and not v_server
      and request.owner_id <> v_user and not (request.user_id = v_user and internal.nominee_knows(request, p_now))
    union all
    select alarm.id
    from kith.alarms as alarm
    where alarm.tenant_id = v_tenant and alarm.id = any (p_subject_ids) and not v_server
      and internal.part_in_alarm(alarm, v_user) is null
    union all
    select id from kith.api_keys where tenant_id = v_tenant and id = any (p_subject_ids) and revoked_at is not null
  );
end
$$;
comment on function internal.hidden_subjects(uuid[], timestamptz) is
  'Those of the ids that are deleted users or documents, ended secret keys, or vaults, connections, alarms or requests '
  'for emergency access that the caller cannot see. Definer: the caller cannot see them.';
grant execute on function internal.hidden_subjects(uuid[], timestamptz) to kith_api;

create or replace function internal.require_vault_right(
  p_right text, p_vault_id uuid, p_subject_ids uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record := internal.vault_access(p_vault_id, p_now);
  v_nominee kith.nominees;
begin
  case p_right
    when 'member' then
      null;
    when 'owner' then
      perform internal.require_owner(p_vault_id, p_now);
    when 'lock' then
      perform internal.require_level(v_access.role, v_access.access_level, 'full');
    when 'open' then
      perform internal.session_to_join(p_vault_id, p_now);
    when 'view', 'edit', 'full' then
      perform internal.require_open(v_access.role, (v_access.session).id);
      perform internal.require_level(v_access.role, v_access.access_level, p_right);
    when 'manage', 'conversation' then
      if p_right = 'manage' then
        perform internal.manage_vault(p_vault_id, p_now);
      end if;
      for v_nominee in
        select * from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id and id = any (p_subject_ids)
      loop
        if p_right = 'manage' then
          perform internal.require_owner_for_full(v_access.role, v_nominee.access_level);
          perform internal.require_owner_for_emergency(v_access.role, v_nominee);
        else
          perform internal.conversation(p_vault_id, v_nominee.id, p_now);
        end if;
      end loop;
  end case;
end
$$;
comment on function internal.require_vault_right(text, uuid, uuid[], timestamptz) is
  'Raises what a call about the vault would raise at p_now if the current user did not have p_right in it: member, '
  'owner, lock, open, the level view, edit or full in a session, manage or conversation. The last two concern those of '
  'the ids that are the vault''s nominees. For internal.may_repeat.';

create or replace function internal.may_repeat(p_right text, p_subject_ids uuid[], p_now timestamptz) returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
  v_vault uuid;
begin
  if p_right = 'own' then
    return true;
  elsif p_right is null or cardinality(internal.hidden_subjects(p_subject_ids, p_now)) > 0 then
    return false;
  elsif v_caller like 'key:%' and not exists (
    select from kith.api_keys
    where tenant_id = v_tenant and id::text = substr(v_caller, 5) and revoked_at is null
      and (expires_at is null or expires_at > p_now)
  ) then
    return false;
  elsif p_right = 'sight' then
    return true;
  elsif p_right in ('sender', 'receiver') then
    return internal.has_profile(p_right);
  end if;
  for v_vault in select id from kith.vaults where tenant_id = v_tenant and id = any (p_subject_ids) loop
    perform internal.require_vault_right(p_right, v_vault, p_subject_ids, p_now);
  end loop;
  return true;
exception
  when others then
    -- The refusal of the rule itself is the answer. Anything else is a fault.
    if left(sqlstate, 2) <> 'KT' then
      raise;
    end if;
    return false;
end
$$;
comment on function internal.may_repeat(text, uuid[], timestamptz) is
  'Whether a kept answer that names these ids may be given again (A07): the caller can still see them, and still has '
  'the right that the answer came from. p_right is own for an answer about nobody but the caller, which is always '
  'given again; sight for one that needs no more than that they can see it; the role of a profile, or a right in the '
  'vaults among the ids, as internal.require_vault_right knows them; null never repeats. The answer of an ended secret '
  'key is not repeated either. Definer: the rules read rows that the caller cannot see.';
grant execute on function internal.may_repeat(text, uuid[], timestamptz) to kith_api;

create or replace function internal.name_subjects(p_key text, p_subject_ids uuid[], p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
  -- Record only what the caller can see now. Otherwise the answer would be withheld at once, for example after
  -- declining an invitation.
  v_hidden uuid[] := internal.hidden_subjects(p_subject_ids, p_now);
begin
  delete from kith.idempotency_key_subjects where tenant_id = v_tenant and caller = v_caller and key = p_key;
  insert into kith.idempotency_key_subjects (tenant_id, subject_id, caller, key)
  select distinct v_tenant, subject, v_caller, p_key
  from unnest(p_subject_ids) as subject
  where subject <> all (v_hidden);
end
$$;
comment on function internal.name_subjects(text, uuid[], timestamptz) is
  'Records the subjects that the kept answer of a caller''s key names, and replaces those of an expired answer. '
  'Definer: nobody else may delete or invent what withholds an answer.';
grant execute on function internal.name_subjects(text, uuid[], timestamptz) to kith_api;

create or replace function internal.forget_answers(p_user_id uuid, p_phone text, p_email text) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.idempotency_keys where tenant_id = v_tenant and caller = 'user:' || p_user_id;
  delete from kith.idempotency_keys as answer
  using kith.idempotency_key_subjects as subject
  where subject.tenant_id = v_tenant and subject.subject_id = any (
      array(
        select p_user_id
        union all select id from kith.vaults where tenant_id = v_tenant and owner_id = p_user_id
        union all select unnest(internal.nominees_of_person(p_user_id, p_phone, p_email))
        union all select unnest(internal.transfers_of_person(p_user_id, p_phone, p_email))
        union all select invitation_id from kith.connection_invitation_recipients
          where tenant_id = v_tenant and phone = p_phone
      )
    )
    and answer.tenant_id = v_tenant and answer.caller = subject.caller and answer.key = subject.key;
end
$$;
comment on function internal.forget_answers(uuid, text, text) is
  'Deletes the kept answers that a user received, and those of others that name the user, their vaults, or invitations '
  'and offers to them or to one of these contacts. For definer procedures.';
