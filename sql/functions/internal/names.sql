-- What a person without a name is called, and nothing else: a name is never null in an answer or a notification.

create or replace function internal.counterpart_name(p_name text, p_role text) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(nullif(btrim(p_name), ''), case p_role when 'sender' then 'Sender' else 'Receiver' end)
$$;
comment on function internal.counterpart_name(text, text) is
  'The name of the other side of a connection, who has the role given there (P10).';
revoke all on function internal.counterpart_name(text, text) from public;
grant execute on function internal.counterpart_name(text, text) to kith_api;

create or replace function internal.name_of_anybody(p_name text) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(nullif(btrim(p_name), ''), 'Someone')
$$;
comment on function internal.name_of_anybody(text) is
  'The name of a person in no role, and of one whose account is deleted.';
revoke all on function internal.name_of_anybody(text) from public;
grant execute on function internal.name_of_anybody(text) to kith_api;
