create or replace function api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  select json_build_object('phone', inviter.phone, 'locale', inviter.locale, 'default_region', tenant.default_region)
  into v_answer
  from kith.users as inviter
  join kith.tenants as tenant on tenant.tenant_id = inviter.tenant_id
  where inviter.tenant_id = v_tenant and inviter.id = v_user and inviter.deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return coalesce(internal.invitation_refusal(p_recipients, p_send, p_now), v_answer);
end
$$;
comment on function api.begin_connection_invitation(integer, boolean, timestamptz) is
  'Checks whether the caller may invite so many people, before the server parses their phone numbers, which is '
  'expensive. Returns what determines the national format of the numbers: {phone, locale, default_region}. Writes '
  'nothing.';
grant execute on function api.begin_connection_invitation(integer, boolean, timestamptz) to kith_api;

create or replace function api.create_connection_invitation(
  p_recipients jsonb, p_send boolean, p_public_url text, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
  v_name text;
  v_brand text;
  v_link text;
  v_code text;
  v_refusal json;
begin
  perform internal.require_user();
  -- Serialize the requests of a user, so that the daily count holds.
  select display_name into v_name
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_refusal := internal.invitation_refusal(jsonb_array_length(p_recipients), p_send, p_now);
  if v_refusal is not null then
    return v_refusal;
  end if;
  select internal.shown_brand(tenant), internal.join_link(tenant, p_public_url) into v_brand, v_link
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant;
  v_code := (internal.new_code('sender', true, null, p_now)).code;

  insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
  values (
    v_tenant, v_id, v_user, internal.invitation_message(v_name, v_brand, v_code, v_link), v_code,
    internal.join_url(v_link, v_code), jsonb_array_length(p_recipients), p_now
  );
  perform internal.add_recipients(v_id, p_recipients, p_now);
  if p_send then
    perform internal.queue_invitation(v_id, p_now);
  end if;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return api.get_connection_invitation(v_id);
end
$$;
comment on function api.create_connection_invitation(jsonb, boolean, text, timestamptz) is
  'Invites up to 1,000 people with the permanent code of the caller, who must be a sender (P15 to P17). The server has '
  'parsed the phone numbers: [{name, given_phone, phone, problem}], where phone is in E.164 form and problem says why '
  'a number is unusable. A recipient without a usable number or name is reported in their result, and the others are '
  'invited. A user can invite 2,000 people in 24 hours. Security definer, because only these procedures write '
  'invitations, whose text Kith sends.';
grant execute on function api.create_connection_invitation(jsonb, boolean, text, timestamptz) to kith_api;

create or replace function api.get_connection_invitation(p_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_invitation kith.connection_invitations;
begin
  select * into v_invitation from kith.connection_invitations
  where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.invitation_json(v_invitation, internal.percent_encode(v_invitation.message));
end
$$;
comment on function api.get_connection_invitation(uuid) is
  'Returns one of the caller''s invitations with all recipients. Raises not_found for an invitation of another user.';
grant execute on function api.get_connection_invitation(uuid) to kith_api;

create or replace function api.list_connection_invitations(p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          json_build_object(
            'id', page.id,
            'message', page.message,
            'code', page.code,
            'url', page.url,
            'created_at', internal.instant(page.created_at),
            'recipient_count', page.recipients,
            'connected', (
              select count(*)
              from kith.connection_invitation_recipients as recipient
              where recipient.tenant_id = v_tenant and recipient.invitation_id = page.id
                and recipient.connection_id is not null
            ),
            'statuses', (
              select coalesce(json_object_agg(counted.status, counted.recipients order by counted.status), '{}')
              from (
                select recipient.status, count(*) as recipients
                from kith.connection_invitation_recipients as recipient
                where recipient.tenant_id = v_tenant and recipient.invitation_id = page.id
                group by recipient.status
              ) as counted
            )
          )
          order by page.id desc
        ) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id desc))[p_limit] end
    )
    from (
      select invitation.*, row_number() over (order by invitation.id desc) as n
      from kith.connection_invitations as invitation
      where invitation.tenant_id = v_tenant and invitation.user_id = v_user
        and invitation.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by invitation.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;
comment on function api.list_connection_invitations(integer, uuid) is
  'Returns the caller''s invitations, newest first, each with the number of recipients per status, and of those who '
  'have connected. get_connection_invitation returns the recipients themselves.';
grant execute on function api.list_connection_invitations(integer, uuid) to kith_api;

create or replace function api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_recipient kith.connection_invitation_recipients;
  v_message text;
begin
  perform internal.begin_act('change', p_now);
  select * into v_recipient
  from kith.connection_invitation_recipients
  where tenant_id = v_tenant and invitation_id = p_id and n = p_n and user_id = v_user
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if v_recipient.status <> p_outcome then
    if v_recipient.status not in ('pending', 'cancelled', 'failed', 'unavailable') then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = case v_recipient.status
        when 'sent' then 'The message to this person has been sent.'
        when 'queued' then 'The message to this person is on its way.'
        else 'There is no message to this person.'
      end;
    end if;
    v_recipient.status := p_outcome;
    update kith.connection_invitation_recipients set status = p_outcome, updated_at = p_now
    where tenant_id = v_tenant and invitation_id = p_id and n = p_n;
    perform internal.emit_account(v_tenant, kith.user_id(), p_now);
  end if;
  select message into v_message from kith.connection_invitations where tenant_id = v_tenant and id = p_id;
  return internal.invitation_recipient_json(v_recipient, internal.percent_encode(v_message));
end
$$;
comment on function api.report_invitation_outcome(uuid, integer, text, timestamptz) is
  'Records what became of the text to one recipient, as the caller''s phone reports it: sent, cancelled, failed or '
  'unavailable (P17). Repeating an outcome changes nothing, and sent is final. Security definer, as '
  'create_connection_invitation.';
grant execute on function api.report_invitation_outcome(uuid, integer, text, timestamptz) to kith_api;

create or replace function api.report_invitation_outcomes(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_given integer[] := array(select jsonb_array_elements_text(p_body -> 'recipients')::integer);
begin
  perform internal.begin_act('change', p_now);
  perform from kith.connection_invitations where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.refuse_fields((
    select coalesce(jsonb_agg(error order by given.i), '[]')
    from unnest(v_given) with ordinality as given (n, i)
    cross join jsonb_array_elements(
      internal.field_error(format('recipients[%s]', given.i - 1), 'is not the position of a recipient')
    ) as error
    where not exists (
      select from kith.connection_invitation_recipients as recipient
      where recipient.tenant_id = v_tenant and recipient.invitation_id = p_id and recipient.n = given.n
    )
  ));
  update kith.connection_invitation_recipients as recipient
  set status = p_body ->> 'outcome', updated_at = p_now
  where recipient.tenant_id = v_tenant and recipient.invitation_id = p_id and recipient.n in (
    select open.n
    from kith.connection_invitation_recipients as open
    where open.tenant_id = v_tenant and open.invitation_id = p_id
      and (not p_body ? 'recipients' or open.n = any (v_given))
      and open.status in ('pending', 'cancelled', 'failed', 'unavailable') and open.status <> p_body ->> 'outcome'
    order by open.n
    for no key update
  );
  if found then
    perform internal.emit_account(v_tenant, v_user, p_now);
  end if;
  return api.get_connection_invitation(p_id);
end
$$;
comment on function api.report_invitation_outcomes(uuid, jsonb, timestamptz) is
  'Records what became of one text to several recipients: {outcome, recipients?} with their positions; without '
  'recipients, all. Those to whom a text was sent, is on its way, or cannot be sent stay as they are. Returns the '
  'invitation. Security definer, as create_connection_invitation.';
grant execute on function api.report_invitation_outcomes(uuid, jsonb, timestamptz) to kith_api;
