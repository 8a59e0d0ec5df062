create or replace function internal.sign_json(p_id uuid, p_name text, p_kind text, p_allow_get boolean, p_last_used_at timestamptz) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'id', p_id, 'name', p_name, 'kind', p_kind, 'allow_get', p_allow_get, 'last_used_at', internal.instant(p_last_used_at)
  )
$$;
comment on function internal.sign_json(uuid, text, text, boolean, timestamptz) is
  'A sign as its owner sees it, without its address. From columns, because kith_api may not read the hash of the token.';
grant execute on function internal.sign_json(uuid, text, text, boolean, timestamptz) to kith_api;

create or replace function internal.signs_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(json_agg(internal.sign_json(id, name, kind, allow_get, last_used_at) order by id), '[]')
    from kith.signs
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.signs_json() is 'The signs of the current user, oldest first; at most 10.';
grant execute on function internal.signs_json() to kith_api;

create or replace function internal.show_activity(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select p_tenant_id, internal.uuid7(p_now), connection.receiver_id, 'connection', connection.id
  from kith.connections as connection
  where connection.tenant_id = p_tenant_id and connection.sender_id = p_user_id and connection.status = 'active' and connection.share_activity;
end
$$;
comment on function internal.show_activity(integer, uuid, timestamptz) is
  'P11: shows an activity on the dashboards of the receivers with whom the sender shares it. For api.report_sign.';
