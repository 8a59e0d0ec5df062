create or replace function internal.is_blocked(p_user_id uuid, p_other_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.blocks
    where tenant_id = v_tenant
      and (user_id = p_user_id and blocked_id = p_other_id or user_id = p_other_id and blocked_id = p_user_id)
  );
end
$$;
comment on function internal.is_blocked(uuid, uuid) is
  'Whether one of two users has blocked the other (X22), without saying which. For definer procedures.';

create or replace function internal.has_blocked(p_tenant integer, p_user uuid, p_person uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (select from kith.blocks where tenant_id = p_tenant and user_id = p_user and blocked_id = p_person);
end
$$;
comment on function internal.has_blocked(integer, uuid, uuid)
  is 'Whether a user has blocked a person. For definer procedures.';
