create or replace function internal.has_stopped_texts(p_tenant_id integer, p_phone text) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.text_numbers where tenant_id = p_tenant_id and phone = p_phone and stopped_at is not null
  );
end
$$;
comment on function internal.has_stopped_texts(integer, text) is 'Whether a number has answered STOP to the tenant.';

create or replace function internal.own_texts_stopped_at() returns timestamptz
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select known.stopped_at
    from kith.users as person
    join kith.text_numbers as known on known.tenant_id = v_tenant and known.phone = person.phone
    where person.tenant_id = v_tenant and person.id = v_user and person.phone_verified_at is not null
  );
end
$$;
comment on function internal.own_texts_stopped_at() is
  'When the current user''s phone answered STOP; null if it takes text messages. Security definer, because kith_api '
  'may not read numbers that no account has.';
grant execute on function internal.own_texts_stopped_at() to kith_api;

create or replace function internal.set_texts_stopped(p_phone text, p_is_stopped boolean, p_now timestamptz)
  returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if not p_is_stopped then
    update kith.text_numbers set stopped_at = null, updated_at = p_now
    where tenant_id = v_tenant and phone = p_phone and stopped_at is not null;
    return found;
  end if;
  insert into kith.text_numbers as known (tenant_id, phone, stopped_at, answers_since, updated_at)
  values (v_tenant, p_phone, p_now, p_now, p_now)
  on conflict (tenant_id, phone) do update set stopped_at = p_now, updated_at = p_now where known.stopped_at is null;
  return found;
end
$$;
comment on function internal.set_texts_stopped(text, boolean, timestamptz) is
  'STOP and START: whether text messages of the tenant go to a number. Returns false if that was so already.';
