create or replace function internal.forget_in_rows(
  p_tenant_id integer, p_notifications uuid[], p_user_id uuid, p_vaults uuid[]
)
  returns void
  language plpgsql
as $$
begin
  -- In a fixed order, because a worker may be reporting the deliveries of the same notifications.
  perform from kith.notifications where tenant_id = p_tenant_id and id = any (p_notifications)
  order by id for no key update;
  update kith.notifications as notification
  -- body holds the words of a message.
  set body = null,
    person_name = kept.name, person_id = case when kept.name is not null then notification.person_id end,
    vault_id = case when not kept.is_erased then notification.vault_id end,
    data = case when kept.is_erased then data - 'vault_name' else data end
  from (
    select told.id, coalesce(told.vault_id = any (p_vaults), false) as is_erased,
      case when p_user_id is null or told.person_id <> p_user_id then told.person_name end as name
    from kith.notifications as told
    where told.tenant_id = p_tenant_id and told.id = any (p_notifications)
  ) as kept
  where notification.tenant_id = p_tenant_id and notification.id = kept.id;
end
$$;
comment on function internal.forget_in_rows(integer, uuid[], uuid, uuid[]) is
  'Takes out of notifications about vaults what was written in messages, the name of the user p_user_id, and the names '
  'of the erased vaults p_vaults. For internal.forget_in_notifications, whose callers may not leave a name behind: one '
  'whose person is unknown loses the name too, unless p_user_id is null.';

create or replace function internal.forget_imported_vault(p_vault kith.vaults, p_actor text) returns void
  language plpgsql
as $$
begin
  if p_vault.external_id is not null then
    perform internal.record_act(
      p_vault.tenant_id, p_actor, 'vault.forget', internal.forgotten_subject(p_vault.external_id), null
    );
  end if;
end
$$;
comment on function internal.forget_imported_vault(kith.vaults, text) is
  'Records that a vault that was imported is gone for good, so that no import brings it back (A09). For '
  'internal.erase_vault and internal.sweep_vault.';

create or replace function internal.forget_vault_name(p_tenant_id integer, p_vault_id uuid, p_batch integer)
  returns integer
  language plpgsql
as $$
declare
  v_told uuid[] := array(
    select id from kith.notifications where tenant_id = p_tenant_id and vault_id = p_vault_id order by id limit p_batch
  );
begin
  perform internal.forget_in_rows(p_tenant_id, v_told, null, array[p_vault_id]);
  return cardinality(v_told);
end
$$;
comment on function internal.forget_vault_name(integer, uuid, integer) is
  'Removes the name of an erased vault from at most p_batch notifications, and returns from how many. For '
  'worker.sweep_vaults: later nothing says whose vault it was.';
