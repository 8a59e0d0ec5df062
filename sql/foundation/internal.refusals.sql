-- The refusals that several procedures raise. The message is the API's problem code. If a code has a fixed text, it is
-- in the server's table and not repeated here.

create or replace function internal.refuse_not_found() returns void
  language plpgsql
as $$
begin
  raise exception 'not_found' using errcode = 'KT404';
end
$$;
comment on function internal.refuse_not_found()
  is 'Raises not_found. A missing row and another user''s row must look the same.';
grant execute on function internal.refuse_not_found() to kith_api;

create or replace function internal.refuse_unknown(p_tenant text, p_what text, p_view text) returns void
  language plpgsql
as $$
begin
  raise exception 'not_found' using errcode = 'KT404', detail = format('%L has no %s.', p_tenant, p_what),
    hint = format('Look it up: select * from %s where tenant = %L;', p_view, p_tenant);
end
$$;
comment on function internal.refuse_unknown(text, text, text) is
  'Raises not_found to an operator, with a hint where to look. An operator may know that the row is another tenant''s. '
  'For definer procedures.';

create or replace function internal.require_reason(p_reason text) returns void
  language plpgsql
as $$
begin
  if coalesce(p_reason !~ '\S' or char_length(p_reason) > 500, true) then
    perform internal.refuse_fields(
      internal.field_error('p_reason', 'must say why, in 1 to 500 characters: the audit keeps it')
    );
  end if;
end
$$;
comment on function internal.require_reason(text) is 'Raises validation_failed if an operator gives no reason.';

create or replace function internal.refuse_fields(p_errors jsonb) returns void
  language plpgsql
as $$
begin
  if jsonb_array_length(p_errors) > 0 then
    raise exception 'validation_failed' using errcode = 'KT422', detail = p_errors::text;
  end if;
end
$$;
comment on function internal.refuse_fields(jsonb) is
  'Raises validation_failed with an array of {field, message}. Does nothing if the array is empty. The server has '
  'already checked types and shapes; these errors concern meaning.';
grant execute on function internal.refuse_fields(jsonb) to kith_api;

create or replace function internal.field_error(p_field text, p_message text) returns jsonb
  language sql
  stable
as $$
  select jsonb_build_array(jsonb_build_object('field', p_field, 'message', p_message))
$$;
comment on function internal.field_error(text, text)
  is 'A single field''s error, as an array that can be appended to others.';
grant execute on function internal.field_error(text, text) to kith_api;

create or replace function internal.require_server() returns void
  language plpgsql
as $$
begin
  if kith.tenant_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  if kith.user_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'This call is for the tenant''s server.';
  end if;
end
$$;
comment on function internal.require_server() is
  'Raises forbidden if a user calls what only the tenant''s server may, and unauthenticated without a tenant. Every '
  'definer procedure of a [key] call starts with it.';

create or replace function internal.require_user() returns void
  language plpgsql
as $$
begin
  if kith.tenant_id() is null or kith.user_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
end
$$;
comment on function internal.require_user() is
  'Raises unauthenticated without a tenant and a user. Every definer procedure that acts for a user starts with it.';

create or replace function internal.is_of_data(p_sqlstate text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  -- Not connections, transactions that lose to others, lack of resources, an operator's act, a broken system, locks,
  -- and a tenant that is being moved. They pass by themselves, and the whole batch is tried again.
  select left(p_sqlstate, 2) not in ('08', '25', '40', '53', '57', '58')
    and p_sqlstate not in ('55006', '55P03', 'KT503')
$$;
comment on function internal.is_of_data(text) is
  'Whether an error may be the fault of a row, so that the other rows can do without it. An error in a rule counts '
  'too, because one row may be the only one that reaches it.';
grant execute on function internal.is_of_data(text) to kith_api, kith_worker;
