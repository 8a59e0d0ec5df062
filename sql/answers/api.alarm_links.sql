-- The page of a link in a message about an alarm (K11). As sql/answers/api.check_in_links.sql: the token identifies the
-- person, and a suspension of the tenant refuses neither function (A02).

create or replace function api.alarm_page(p_tenant_id integer, p_token_hash bytea, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_link kith.alarm_links;
begin
  -- From here on, no statement can leave the tenant.
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  select * into v_link from kith.alarm_links where tenant_id = p_tenant_id and token_hash = p_token_hash;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.alarm_link_json(v_link, p_now);
end
$$;
comment on function api.alarm_page(integer, bytea, timestamptz) is
  'Returns what the page of a link about an alarm shows (internal.alarm_link_json), by the SHA-256 of its token. '
  'Changes nothing, because mail scanners and previews follow links. Raises not_found for an unknown one. Security '
  'definer, because the token identifies the person.';
grant execute on function api.alarm_page(integer, bytea, timestamptz) to kith_api;

create or replace function api.use_alarm_link(
  p_tenant_id integer, p_token_hash bytea, p_action text, p_seen_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_link kith.alarm_links;
  v_alarm kith.alarms;
  v_take record;
begin
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  select * into v_link from kith.alarm_links where tenant_id = p_tenant_id and token_hash = p_token_hash;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform set_config('kith.user_id', v_link.receiver_id::text, true);
  perform api.require_caller_while_suspended();
  if internal.note_heard(p_tenant_id, v_link.receiver_id, v_link.alarm_id, v_link.channel, p_now) then
    return internal.alarm_link_json(v_link, p_now) || jsonb_build_object('is_open', false, 'done', p_action);
  end if;
  if p_action in ('safe', 'help_called') then
    perform internal.lock_asks(
      p_tenant_id, (select sender_id from kith.alarms where tenant_id = p_tenant_id and id = v_link.alarm_id)
    );
  end if;
  -- Of two taps at once, the second waits here and sees what the first has done.
  v_alarm := internal.lock_alarm(p_tenant_id, v_link.alarm_id, p_now);
  if not (internal.alarm_link_json(v_link, p_now) ->> 'is_open')::boolean then
    return internal.alarm_link_json(v_link, p_now);
  elsif p_action in ('safe', 'help_called') and internal.has_grown_since(v_alarm, p_seen_at, '10 minutes') then
    return internal.alarm_link_json(v_link, p_now) || jsonb_build_object('called_again', true);
  elsif p_action in ('safe', 'help_called') then
    perform internal.resolve_alarm(p_tenant_id, v_link.alarm_id, v_link.receiver_id, null, p_action, null, null, p_now);
  elsif p_action = 'release' then
    -- Somebody else has it: then nothing is asked of the reader.
    if v_alarm.taken_at is null or v_alarm.taken_by = v_link.receiver_id then
      perform internal.release_alarm(p_tenant_id, v_link.alarm_id, v_link.receiver_id, p_now);
    end if;
  elsif not internal.has_just_taken(p_tenant_id, v_link.alarm_id, v_link.receiver_id, p_now) then
    select * into v_take from internal.take_alarm(p_tenant_id, v_link.alarm_id, v_link.receiver_id, null, null, p_now);
    if v_take.outcome = 'taken' then
      return internal.alarm_link_json(v_link, p_now);
    end if;
  end if;
  return internal.alarm_link_json(v_link, p_now) || jsonb_build_object('done', p_action);
end
$$;
comment on function api.use_alarm_link(integer, bytea, text, timestamptz, timestamptz) is
  'What a button on the page of a link about an alarm does, by the SHA-256 of its token. take: the receiver looks '
  'after it, release: they can''t (K02), safe: they reached the sender, who is safe, help_called: they called the '
  'emergency number (K03). Returns internal.alarm_link_json, with done if it was done: somebody else may have taken '
  'it. Changes nothing once the alarm has ended or the receiver has left it, and ends nothing if the sender has called '
  'for help, or missed another check-in, since p_seen_at, when the page was read (called_again). A canary''s answer is '
  'only noted (internal.note_heard). The server has checked the token of the page''s form. Security definer, because '
  'the token identifies the person.';
grant execute on function api.use_alarm_link(integer, bytea, text, timestamptz, timestamptz) to kith_api;

create or replace function internal.has_just_taken(p_tenant integer, p_alarm uuid, p_user uuid, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    join kith.alarm_entries as entry on entry.tenant_id = p_tenant and entry.alarm_id = alarm.id
    where alarm.tenant_id = p_tenant and alarm.id = p_alarm and alarm.taken_by = p_user
      and entry.user_id = p_user and entry.kind in ('taken', 'still_on_it') and entry.at > p_now - interval '1 minute'
      and entry.id >= internal.first_uuid7(p_now - interval '2 minutes')
  );
end
$$;
comment on function internal.has_just_taken(integer, uuid, uuid, timestamptz) is
  'Whether somebody who has an alarm took it less than a minute ago: a form that is sent twice, or a text message of a '
  'second tap, is one.';
