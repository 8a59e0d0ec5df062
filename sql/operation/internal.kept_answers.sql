-- The users, vaults and connections that the kept answers of POST requests (kith.idempotency_keys) name, and who may still see them.

create or replace function internal.hidden_subjects(p_subject_ids uuid[]) returns uuid[]
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
        where nominee.tenant_id = v_tenant and nominee.vault_id = vault.id and nominee.user_id = v_user and nominee.status in ('pending', 'accepted')
      )
    )
    union all
    select id
    from kith.connections
    where tenant_id = v_tenant and id = any (p_subject_ids) and (
      status = 'deleted' or not v_server and v_user <> sender_id and v_user <> receiver_id
    )
  );
end
$$;
comment on function internal.hidden_subjects(uuid[]) is
  'Those of the ids that are deleted users, or vaults or connections that the caller cannot see. Definer: the caller cannot see them.';
revoke all on function internal.hidden_subjects(uuid[]) from public;
grant execute on function internal.hidden_subjects(uuid[]) to kith_api;

create or replace function internal.name_subjects(p_key text, p_subject_ids uuid[]) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
  -- Record only what the caller can see now. Otherwise the answer would be withheld at once, for example after declining an invitation.
  v_hidden uuid[] := internal.hidden_subjects(p_subject_ids);
begin
  delete from kith.idempotency_key_subjects where tenant_id = v_tenant and caller = v_caller and key = p_key;
  insert into kith.idempotency_key_subjects (tenant_id, subject_id, caller, key)
  select distinct v_tenant, subject, v_caller, p_key
  from unnest(p_subject_ids) as subject
  where subject <> all (v_hidden);
end
$$;
comment on function internal.name_subjects(text, uuid[]) is
  'Records the subjects that the kept answer of a caller''s key names, and replaces those of an expired answer. Definer: nobody else may delete or invent what withholds an answer.';
revoke all on function internal.name_subjects(text, uuid[]) from public;
grant execute on function internal.name_subjects(text, uuid[]) to kith_api;

create or replace function internal.forget_answers(p_user_id uuid) returns void
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
        union all select id from kith.nominees where tenant_id = v_tenant and user_id = p_user_id
      )
    )
    and answer.tenant_id = v_tenant and answer.caller = subject.caller and answer.key = subject.key;
end
$$;
comment on function internal.forget_answers(uuid) is
  'Deletes the kept answers that a user received, and those of others that name the user, their vaults or their nominee rows. For definer procedures.';
revoke all on function internal.forget_answers(uuid) from public;
