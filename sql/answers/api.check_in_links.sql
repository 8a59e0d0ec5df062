-- The page of a link in the message that a ping is due, or in a reminder (J01). Both functions find the tenant by the
-- number with which the token begins, and the person by its hash, in one indexed read. A suspension of the tenant
-- refuses neither (A02).

create or replace function api.check_in_page(p_tenant_id integer, p_token_hash bytea, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_link kith.check_in_links;
begin
  -- From here on, no statement can leave the tenant.
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  select * into v_link from kith.check_in_links where tenant_id = p_tenant_id and token_hash = p_token_hash;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.link_json(v_link, p_now);
end
$$;
comment on function api.check_in_page(integer, bytea, timestamptz) is
  'Returns what the page of a check-in link shows (internal.link_json), by the SHA-256 of its token. Changes nothing, '
  'because mail scanners and previews follow links. Raises not_found for an unknown one. Security definer, because the '
  'token identifies the person.';
grant execute on function api.check_in_page(integer, bytea, timestamptz) to kith_api;

create or replace function api.use_check_in_link(
  p_tenant_id integer, p_token_hash bytea, p_action text, p_asked_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_link kith.check_in_links;
  v_page jsonb;
  v_is_answer boolean;
  v_told integer;
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  -- Of two taps at once, the second waits here and sees the first.
  select * into v_link from kith.check_in_links
  where tenant_id = p_tenant_id and token_hash = p_token_hash for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_page := internal.link_json(v_link, p_now);
  if not (v_page ->> 'is_open')::boolean then
    return v_page;
  end if;
  if p_action = 'safe'
    and internal.is_calling_since(p_tenant_id, v_link.user_id, coalesce(p_asked_at, '-infinity'), p_now)
  then
    return v_page || '{"asks": true}';
  end if;
  perform set_config('kith.user_id', v_link.user_id::text, true);
  v_is_answer := v_link.used_at is null or internal.has_alarm_since(p_tenant_id, v_link.user_id, v_link.used_at)
    or internal.press_changes(p_tenant_id, v_link.user_id, v_link.used_at, p_now);
  if p_action = 'help' then
    select help.told into v_told
    from internal.call_for_help(p_tenant_id, v_link.user_id, null, null, 'link', p_now) as help;
  elsif v_is_answer or p_now >= v_link.used_at + interval '1 minute' then
    -- A form that is sent twice within a minute is one check-in, unless something else waits by then. A later one is
    -- another sign of life.
    perform api.check_in(null, false, null, 'link', p_now);
    if v_is_answer then
      update kith.check_in_links set used_at = p_now where tenant_id = p_tenant_id and token_hash = p_token_hash
      returning * into v_link;
    end if;
  end if;
  -- Not as the page is from now on: with the alarm, the press may have ended the link.
  return v_page || jsonb_build_object(
    'checked_in_at', (
      select internal.checked_in_at(v_link.used_at, p_now, time_zone, p_now) from kith.users
      where tenant_id = p_tenant_id and id = v_link.user_id and p_action <> 'help'
    ),
    'told', v_told,
    'is_calling', p_action = 'help'
  );
end
$$;
comment on function api.use_check_in_link(integer, bytea, text, timestamptz, timestamptz) is
  'What a button on the page of a link does, by the SHA-256 of its token. safe: the sender checks in, with the source '
  'link. help: they call for help. Returns internal.link_json, with checked_in_at, the time of that check-in, or of '
  'the link''s first one if nothing has waited since, and told, the number of people who have been told that help is '
  'needed. Changes nothing once the link has ended, nor if safe would end a call for help of the person without their '
  'having been asked since: the answer then has asks (K13). p_asked_at is when the page asked, null if it has not. The '
  'server has checked the token of the page''s form. Security definer, because the token identifies the person.';
grant execute on function api.use_check_in_link(integer, bytea, text, timestamptz, timestamptz) to kith_api;
