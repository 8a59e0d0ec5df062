-- Sign-in by a link that the tenant's server has made for a user (docs/decisions/0052). The server signs the link, and
-- no table has it. It is good for one sign-in, because the sign-in takes the link's id.

create or replace function internal.user_of_sign_in_link(p_user_id uuid, p_family_id uuid, p_issued_at timestamptz)
  returns kith.users
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  select account.* into v_user
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = p_user_id and account.deleted_at is null
    and account.tokens_valid_from <= p_issued_at
    and not exists (
      select from kith.token_families as family where family.tenant_id = v_tenant and family.id = p_family_id
    );
  return v_user;
end
$$;
comment on function internal.user_of_sign_in_link(uuid, uuid, timestamptz) is
  'The user whom a link signs in, by its user, its id and when it was made. Null if the account has ended, if the user '
  'has signed out everywhere since, or if the link was used. For definer procedures.';

create or replace function api.sign_in_link(p_user_id uuid, p_family_id uuid, p_issued_at timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user kith.users;
begin
  perform internal.require_server();
  v_user := internal.user_of_sign_in_link(p_user_id, p_family_id, p_issued_at);
  return case
    when v_user.id is not null then json_build_object('name', coalesce(v_user.display_name, v_user.email, v_user.phone))
  end;
end
$$;
comment on function api.sign_in_link(uuid, uuid, timestamptz) is
  'Whom a link signs in: {name}, which is a contact if they have none, or null if the link is good for nothing any '
  'more. Uses nothing up. The server has checked its signature and its age. Security definer, because no user is known '
  'yet.';
grant execute on function api.sign_in_link(uuid, uuid, timestamptz) to kith_api;

create or replace function api.begin_linked_session(
  p_user_id uuid, p_family_id uuid, p_issued_at timestamptz, p_secret_hash bytea, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  perform internal.require_server();
  -- Two browsers that send the form of one link take turns here.
  perform from kith.users where tenant_id = v_tenant and id = p_user_id for no key update;
  if internal.user_of_repeated_sign_in(p_family_id, p_secret_hash, p_now) = p_user_id then
    return json_build_object('user_id', p_user_id);
  end if;
  v_user := internal.user_of_sign_in_link(p_user_id, p_family_id, p_issued_at);
  if v_user.id is null then
    return null;
  end if;
  perform internal.begin_session(v_user.id, p_family_id, p_secret_hash, p_now);
  perform internal.record_act(v_tenant, 'user:' || v_user.id, 'session.begin', p_family_id::text, '{"by": "link"}');
  return json_build_object('user_id', v_user.id);
end
$$;
comment on function api.begin_linked_session(uuid, uuid, timestamptz, bytea, timestamptz) is
  'Signs in the user of a link: {user_id}, or null if the link is good for nothing any more. The sign-in has the '
  'link''s id, so a link signs in once; the browser that did may repeat it for a minute. The server has checked its '
  'signature and its age. Security definer, because no user is known yet.';
grant execute on function api.begin_linked_session(uuid, uuid, timestamptz, bytea, timestamptz) to kith_api;
