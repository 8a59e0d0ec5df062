create or replace function internal.notification_data(p_type text, p_data jsonb, p_name text, p_note text) returns jsonb
  language plpgsql
  stable
  parallel safe
as $$
begin
  return p_data || case
    -- One object at once for what nearly every notification has: each concatenation copies all.
    when p_name is not null and p_note is null and p_data ?| '{ping_id,connection_id}'
      then jsonb_build_object('about', internal.leads_to(p_type, p_data), 'name', p_name)
    else jsonb_strip_nulls(
      jsonb_build_object('about', internal.leads_to(p_type, p_data), 'name', p_name, 'note', p_note)
    )
  end;
end
$$;
comment on function internal.notification_data(text, jsonb, text, text) is
  'The data of a notification as clients get it: with about (internal.leads_to), with the name of the person whom it '
  'is about, and with the note that a sender shares.';

create or replace function internal.notification_line(
  p_id uuid, p_words jsonb, p_type text, p_data jsonb, p_note text, p_created_at timestamptz, p_sent_at timestamptz,
  p_delivery_status text, p_read_at timestamptz
) returns text
  language sql
  stable
  parallel safe
as $$
  -- Written together as text: json_build_object looks up the type of each value, and takes twice as long.
  select '{"id" : "' || p_id || '", ' || (p_words ->> 0) || case
      -- What a ping says, which nearly every notification does.
      when p_note is null and p_data ? 'ping_id'
        and not p_data ?| '{request_id,transfer_id,nominee_id,vault_id,about,name}'
        then
        left(p_data::text, -1) || ', "about": {"type": "ping", "id": ' || (p_data -> 'ping_id') || (p_words ->> 1)
      else internal.notification_data(p_type, p_data, p_words ->> 2, p_note)::text || ', "created_at" : "'
    end
    || internal.instant(p_created_at)
    || '", "sent_at" : ' || case when p_sent_at is null then 'null' else '"' || internal.instant(p_sent_at) || '"' end
    || ', "delivery_status" : "' || p_delivery_status
    || '", "read_at" : ' || case when p_read_at is null then 'null}' else '"' || internal.instant(p_read_at) || '"}' end
$$;
comment on function internal.notification_line(
  uuid, jsonb, text, jsonb, text, timestamptz, timestamptz, text, timestamptz
) is
  'A notification in the API''s representation, as JSON on one line. p_words is internal.json_words.';

create or replace function internal.json_words(p_type text, p_title text, p_body text, p_name text) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select jsonb_build_array(
    '"type" : ' || to_json(p_type) || ', "title" : ' || to_json(p_title) || ', "body" : ' || to_json(p_body)
    || ', "data" : ', '}' || coalesce(', "name": ' || to_json(p_name), '') || '}, "created_at" : "', p_name
  )
$$;
comment on function internal.json_words(text, text, text, text) is
  'The words of a notification as pieces of JSON, for internal.notification_line: what stands before data, what ends '
  'the data of a ping, and the name of the person whom it is about.';

create or replace function internal.newest_notifications(
  p_tenant_id integer, p_user_id uuid, p_unread boolean, p_limit integer, p_cursor uuid, p_since uuid
)
  returns table (
    id uuid, type text, body text, data jsonb, note text, person_name text, created_at timestamptz,
    sent_at timestamptz, delivery_status text, read_at timestamptz, said text
  )
  language sql
  stable
as $$
  select id, type, body, data, note, person_name, created_at, sent_at, delivery_status, read_at,
    coalesce(case when person_name is null and body is null then internal.said(type, data) end, id::text)
  from kith.notifications
  where tenant_id = p_tenant_id and user_id = p_user_id
    and id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and id >= p_since
    and (not coalesce(p_unread, false) or read_at is null)
  order by id desc
  limit p_limit
$$;
comment on function internal.newest_notifications(integer, uuid, boolean, integer, uuid, uuid) is
  'The newest notifications of a user, all or only the unread ones, before p_cursor and not before p_since. said is '
  'the same for those with the same words (internal.said). Returns a table, which the planner can inline.';

create or replace function internal.notification_page(p_unread boolean, p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_locale text;
  v_zone text;
  v_joined_at timestamptz;
  v_since uuid;
  v_lines text[];
  v_ids uuid[];
begin
  select reader.locale, reader.time_zone, reader.created_at into v_locale, v_zone, v_joined_at
  from internal.reader_of(v_tenant, v_user) as reader;
  -- Nobody was notified before they joined, so the plan opens no older partition. A day more, in case a clock was set
  -- back.
  v_since := internal.first_uuid7(v_joined_at - interval '1 day');
  with page as materialized (
    select * from internal.newest_notifications(v_tenant, v_user, p_unread, p_limit + 1, p_cursor, v_since)
  ), told (words) as (
    -- A page names few people and says the same of them, so most words are made once.
    select jsonb_object_agg(one.said, internal.json_words(one.type, words.title, words.body, words.name))
    from (
      select distinct on (page.said) page.said, page.type, page.data, page.created_at, page.body, page.person_name,
        internal.named_person(page.type, page.data) as person_key
      from page
    ) as one
    cross join lateral internal.person_in(v_tenant, v_user, one.person_key) as person
    cross join lateral internal.words(
      v_tenant, internal.text_key(one.type, one.data, person.is_sender), one.type, one.data, one.created_at, one.body,
      one.person_name, person.name, person.is_sender, person.is_gone, v_locale, v_zone
    ) as words
  )
  select
    array_agg(
      internal.notification_line(
        page.id, page.words, page.type, page.data, page.note, page.created_at, page.sent_at, page.delivery_status,
        page.read_at
      )
      order by page.id desc
    ),
    array_agg(page.id order by page.id desc)
  into v_lines, v_ids
  from (
    select page.*, (select told.words from told) -> page.said as words from page
    -- Keeps the planner from looking it up at each use.
    offset 0
  ) as page;
  return (
    '{"items" : [' || coalesce(array_to_string(v_lines[:p_limit], ', '), '')
    || '], "next_cursor" : ' || case when cardinality(v_ids) > p_limit then '"' || v_ids[p_limit] || '"' else 'null' end
    || ', "unread_count" : ' || internal.unread_notifications(v_joined_at) || '}'
  )::json;
end
$$;
comment on function internal.notification_page(boolean, integer, uuid) is
  'A page of the current user''s notifications, newest first, all or only the unread ones, and the number of all '
  'unread ones: {items, next_cursor, unread_count}. Security definer, because the words name others (internal.words).';
grant execute on function internal.notification_page(boolean, integer, uuid) to kith_api;

create or replace function internal.notifications_of_types(
  p_unread boolean, p_types text[], p_limit integer, p_cursor uuid
) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- An index by type would cost every notification. Instead a page reads so many at most, newest first.
  v_most constant integer := 2000;
begin
  if not p_types <@ array(select known.type from internal.notification_types() as known) then
    perform internal.refuse_fields(
      internal.field_error('type', 'must be types of notifications, with commas between them')
    );
  end if;
  return (
    with near as materialized (
      select notification.id, notification.type
      from kith.notifications as notification
      where notification.tenant_id = v_tenant and notification.user_id = v_user
        and notification.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (not coalesce(p_unread, false) or notification.read_at is null)
      order by notification.id desc
      limit v_most
    ), page as (
      select near.id, row_number() over (order by near.id desc) as n
      from near
      where near.type = any (p_types)
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.notification_in(page.id, null)::json order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case
        when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit]
        when (select count(*) from near) = v_most then (select near.id from near order by 1 limit 1)
      end,
      'unread_count', (
        select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null
      )
    )
    from page
    where page.n <= p_limit + 1
  );
end
$$;
comment on function internal.notifications_of_types(boolean, text[], integer, uuid) is
  'A page of the current user''s notifications of some types, newest first. It looks at 2,000 notifications at most, '
  'so it may have fewer than p_limit items, or none, and yet a next_cursor. For api.list_notifications. Security '
  'definer, as internal.notification_page.';
grant execute on function internal.notifications_of_types(boolean, text[], integer, uuid) to kith_api;

create or replace function internal.notify(
  p_type text, p_tenants integer[], p_users uuid[], p_data jsonb[], p_now timestamptz,
  p_deliver_at timestamptz[] default null,
  p_rank integer default 0, p_notes text[] default null, p_people uuid[] default null, p_names text[] default null,
  p_excerpts text[] default null
) returns void
  language plpgsql
as $$
begin
  insert into kith.notifications (
    tenant_id, id, user_id, type, body, data, created_at, deliver_at, note, person_name, person_id, vault_id
  )
  select told.tenant_id, internal.uuid7(p_now + p_rank * interval '1 millisecond'), told.user_id, p_type, told.excerpt,
    told.data, p_now,
    told.deliver_at, told.note, nullif(btrim(told.name), ''), told.person_id, (told.data ->> 'vault_id')::uuid
  from unnest(p_tenants, p_users, p_data, p_deliver_at, p_notes, p_people, p_names, p_excerpts)
    as told (tenant_id, user_id, data, deliver_at, note, person_id, name, excerpt);
end
$$;
comment on function internal.notify(
  text, integer[], uuid[], jsonb[], timestamptz, timestamptz[], integer, text[], uuid[], text[], text[]
) is
  'Writes notifications of one type, one for each element of the arrays. Every notification is written here, except '
  'those about a check-in (internal.answer_check_in). It has no words: internal.words makes them when it is read. '
  'p_data has every parameter of the text (F10), in the form of a value, not of a text: user_id, vault_name, minutes, '
  'date, an instant, and {to: owner} or another member that selects the text. p_deliver_at delays the delivery. Of '
  'notifications with one cause, those with a higher p_rank are delivered after the others. p_notes are the notes that '
  'a sender shares. p_people are the persons whom texts about a vault name (kith.notifications.person_id), and p_names '
  'what they are called where no other row says it; the other side of a connection is named by the connection. '
  'p_excerpts quote messages. Null arrays are full of nulls. Notifies nobody if p_users is null. For definer '
  'procedures: no role may write notifications except together with their cause.';

create or replace function internal.unread_notifications(p_joined_at timestamptz) returns bigint
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Nobody was notified before they joined, so the plan opens no older partition. A day more, in case a clock was set
  -- back.
  v_since uuid := internal.first_uuid7(p_joined_at - interval '1 day');
begin
  return (
    select count(*) from kith.notifications
    where tenant_id = v_tenant and user_id = v_user and read_at is null and id >= v_since
  );
end
$$;
comment on function internal.unread_notifications(timestamptz) is
  'How many notifications the current user has not read. p_joined_at is when the account was created.';
grant execute on function internal.unread_notifications(timestamptz) to kith_api;

create or replace function internal.notification_in(p_id uuid, p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select internal.notification_line(
      told.id, told.words, told.type, told.data, told.note, told.created_at, told.sent_at, told.delivery_status,
      told.read_at
    )
    from (
      select notification.*, internal.json_words(notification.type, words.title, words.body, words.name) as words
      from kith.notifications as notification
      cross join lateral internal.reader_of(v_tenant, v_user) as reader
      cross join lateral internal.told(
        v_tenant, v_user, notification.type, notification.data, notification.created_at, notification.body,
        notification.person_name, coalesce(p_locale, reader.locale), reader.time_zone
      ) as words
      where notification.tenant_id = v_tenant and notification.id = p_id and notification.user_id = v_user
      -- Keeps the planner from making the words at each use.
      offset 0
    ) as told
  );
end
$$;
comment on function internal.notification_in(uuid, text) is
  'A notification of the current user on one line, in a language of internal.languages, or in the user''s if that is '
  'null. Null for another user''s. For definer procedures.';
