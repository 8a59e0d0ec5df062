-- The data of a notification has every parameter of its text (F10). Each kind of act is done, and the parameters in data are taken out of the
-- text of every notification. What is left must be the same for everybody: no name, no vault, no number, no date.
begin;
\ir people.sql
\ir kinds_of_acts.sql
select plan(6);

create temporary table told (act text, type text, data jsonb, text text, rest text);
-- Takes the parameters out of a text, the longest first, as one can contain another. An instant or a date stands in a text in English words,
-- in the zone of these readers, which is UTC, and a time to come in the words for what is left.
create function tests.without(p_text text, p_data jsonb) returns text
  language plpgsql
as $$
declare
  v_value text;
begin
  for v_value in
    select words
    from jsonb_each_text(p_data)
    cross join lateral (
      select value where key in ('name', 'vault_name', 'minutes', 'missed_days')
      union all
      select internal.local_text(value::timestamptz, 'UTC') where key like '%\_at'
      union all
      select to_char(value::timestamptz, 'HH24:MI') where key like '%\_at'
      union all
      select internal.date_text(value::date, 'en', null) where key in ('date', 'until')
      union all
      select internal.time_left_text(value::timestamptz - (p_data ->> 'told_at')::timestamptz) where key = 'grants_at'
    ) as worded (words)
    order by length(words) desc
  loop
    p_text := replace(p_text, v_value, '…');
  end loop;
  return p_text;
end
$$;
create function tests.told_by(p_act text) returns json
  language plpgsql
as $$
begin
  execute format('select tests.act_%s()', p_act);
  perform tests.work('2026-03-10T23:00Z');
  raise exception '%', (
    select json_agg(json_build_object(
      'type', type, 'title', title, 'body', body, 'data', internal.notification_data(type, data, person_name, note) || jsonb_build_object('told_at', created_at)
    ))
    from tests.notifications
    where user_id in (tests.zoe(), tests.yan())
  ) using errcode = 'KTEST';
exception when sqlstate 'KTEST' then
  return sqlerrm;
end
$$;
insert into told
select act, item ->> 'type', data, text,
  case when item ->> 'type' = 'message_received' then tests.without(item ->> 'title', data) else tests.without(text, data) end
from acts
cross join lateral json_array_elements(tests.told_by(act)) as item
cross join lateral (select (item ->> 'data')::jsonb, concat(item ->> 'title', ': ', item ->> 'body')) as given (data, text);

select set_eq('select type from told', 'select type from internal.notification_types()', 'the acts cause every type of notification');
select is_empty(
  $$ select type, text, data from told where rest ~* 'zander|yarrow|papers|[0-9]' $$, 'what a text says of people, vaults and times is in data'
);
select is_empty(
  $$ select type, text from told where text ~* 'zander|yarrow' and not data ?| array['name', 'vault_name'] and type <> 'message_received' $$,
  'names are not only in the text'
);
select is_empty(
  $$ select type, text, data from told where data ? 'name' and not data ? 'user_id' and type not in ('nominee_declined', 'transfer_declined') $$,
  'whoever is named is named by id too, except somebody who declines, whom the owner does not know'
);
select is_empty(
  $$
    select type, key, value from told cross join lateral jsonb_each_text(data)
    where key <> 'told_at' and key like '%\_at' and value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$' or key like '%\_id' and value !~ '^[0-9a-f-]{36}$'
      or key in ('date', 'from', 'until') and value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
  $$,
  'a key that ends in _at is an instant, one that ends in _id is an id, and dates are dates'
);
select is_empty(
  $$ select type, data from told where not data ? 'about' or data -> 'about' ->> 'id' is null $$, 'every notification says what it is about (F08)'
);

select * from finish();
rollback;
