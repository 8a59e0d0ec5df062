create or replace function internal.enter_tenant(p_slug text) returns integer
  language plpgsql
as $$
declare
  v_tenant integer;
  v_deleted_at timestamptz;
begin
  select tenant_id into v_tenant from kith.tenants where slug = p_slug and deleted_at is null;
  if not found and internal.bound_tenant() is null then
    select deleted_at into v_deleted_at from kith.tenants where slug = p_slug;
  end if;
  if v_deleted_at is not null then
    raise exception 'not_found' using errcode = 'KT404', detail = format('The tenant %L was deleted at %s.', p_slug, internal.shown_instant(v_deleted_at)),
      hint = 'What goes on with it: select what, remedy from admin.holds;';
  end if;
  -- Another tenant does not exist for an operator who sees only one.
  if v_tenant is null or v_tenant <> coalesce(internal.bound_tenant(), v_tenant) then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L.', p_slug),
      hint = 'Look it up: select slug from admin.tenants;';
  end if;
  perform set_config('kith.tenant_id', v_tenant::text, true), set_config('kith.user_id', '', true);
  return v_tenant;
end
$$;
comment on function internal.enter_tenant(text) is
  'Sets the tenant in an operator''s procedure. From then on the owner''s policies confine it to that tenant, as they do a request.';

create or replace function internal.require_whole_installation() returns void
  language plpgsql
as $$
begin
  if internal.bound_tenant() is not null then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Your login sees one tenant, and this concerns the whole installation.',
      hint = 'Ask an operator whose login has no tenant: kith operator list.';
  end if;
end
$$;
comment on function internal.require_whole_installation() is
  'Raises forbidden to an operator whose login is bound to a tenant (kith.operators). Each procedure of schema admin that enters no tenant '
  'begins with it.';

create or replace function internal.leave_tenant() returns void
  language plpgsql
as $$
begin
  perform set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true);
end
$$;
comment on function internal.leave_tenant() is 'Reverts enter_tenant for the rest of an operator''s transaction.';
