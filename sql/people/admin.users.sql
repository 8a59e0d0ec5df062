create or replace function admin.delete_user(
  p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean default false, p_now timestamptz default now()
)
  returns table (what text, was bigint, is_now bigint, fate text, why text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_before jsonb;
  v_ended_at timestamptz;
begin
  perform internal.require_present(p_now);
  select deleted_at into v_ended_at from kith.users where tenant_id = v_tenant and id = p_user;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has no user %s.', p_tenant, p_user),
      hint = format('Look it up: select * from admin.find_user(%L, ''phone, e-mail or name'');', p_tenant);
  elsif v_ended_at is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = format('This account ended at %s.', internal.shown_instant(v_ended_at)),
      hint = format('The proof: select * from admin.verify_erasure(%L, %L);', p_tenant, p_user);
  end if;
  v_before := (select jsonb_object_agg(trace.n, trace.rows) from internal.traces_of_user(p_user) as trace);
  perform internal.delete_user(
    p_user, internal.operator(), jsonb_build_object('reason', p_reason), p_delete_vaults, p_now
  );
  return query
  select internal.trace_in_words(trace.what), (v_before ->> trace.n::text)::bigint, trace.rows, trace.fate, trace.why
  from internal.traces_of_user(p_user) as trace
  where (v_before ->> trace.n::text)::bigint > 0 or trace.rows > 0
  order by trace.n;
  perform internal.leave_tenant();
end
$$;
comment on function admin.delete_user(text, uuid, text, boolean, timestamptz) is
  'Deletes a user''s account as the user would; this cannot be undone: select * from admin.delete_user(''acme'', '
  '''…'', ''asked by mail''). Returns what there was, what there is now, and why what stays may stay. If the user owns '
  'vaults that others have access to, it is refused unless p_delete_vaults is true. The reason is kept in the audit '
  'and must not contain names. After a restore to an earlier time it must be done again: PostgreSQL''s log has a line '
  '"kith erased" for each account.';
grant execute on function admin.delete_user(text, uuid, text, boolean, timestamptz) to kith_admin;

create or replace function admin.verify_erasure(p_tenant text, p_user uuid, p_contact text default null)
  returns table (what text, rows bigint, verdict text, counted_by text)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_contact text := internal.contact_as_kept(p_contact);
  v_ended_at timestamptz;
begin
  select deleted_at into v_ended_at from kith.users where tenant_id = v_tenant and id = p_user;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has had no user %s.', p_tenant, p_user),
      hint = format(
        'The ids of ended accounts: select subject, at from admin.audit where tenant = %L and action = '
        '''user.delete'';',
        p_tenant
      );
  end if;
  return query
  with found (n, what, rows, verdict, counted_by) as (
    select 1, 'the account'::text, 1::bigint,
      coalesce(
        'ended at ' || internal.shown_instant(v_ended_at),
        format('NOT ERASED: select * from admin.delete_user(%L, %L, ''asked by …'')', p_tenant, p_user)
      ),
      null
    union all
    select 1 + trace.n, internal.trace_in_words(trace.what), trace.rows,
      case
        when trace.fate = 'stays' then 'stays: ' || trace.why
        when trace.rows = 0 then 'nothing'
        else 'STILL THERE'
      end,
      internal.trace_as_statement(trace.what, v_tenant, quote_literal(p_user))
    from internal.traces_of_user(p_user) as trace
    where trace.rows > 0 or trace.fate <> 'stays'
    union all
    select 10000, internal.trace_in_words(with_contact.what) || ' with this contact', with_contact.rows,
      case
        when with_contact.rows = 0 then 'nothing'
        when with_contact.what like 'text_numbers %' then 'stays: STOP holds for the number, whoever has it'
        else 'STILL THERE, of this or another person'
      end,
      format(
        'select count(*) from kith.%s)',
        replace(with_contact.what, ' where ', format(' where tenant_id = %s and (', v_tenant))
      )
    from internal.rows_with_contact(v_contact) as with_contact
    where v_contact is not null
  )
  select 'in short', count(*) filter (where found.verdict ~ '^(NOT|STILL)'),
    case
      when v_ended_at is null then 'NOT ERASED'
      when bool_or(found.verdict like 'STILL%') then 'NOT ALL IS GONE: STILL THERE are '
        || string_agg(
          format('%s of %s', found.rows, found.what), ', ' order by found.n
        ) filter (where found.verdict like 'STILL%')
      else 'erased: nothing is left but what may stay, each with its reason below: '
        || coalesce(
          string_agg(
            format('%s of %s', found.rows, found.what), ', ' order by found.n
          ) filter (where found.verdict like 'stays%' and found.rows > 0),
          'nothing'
        )
    end,
    case
      when v_contact is null
        then 'without the former number or address; give it as the third argument to look for it, too'
    end
  from found
  union all
  (select found.what, found.rows, found.verdict, found.counted_by from found order by found.n);
  perform internal.leave_tenant();
end
$$;
comment on function admin.verify_erasure(text, uuid, text) is
  'The proof of an erasure: counts what the database has of a user: select * from admin.verify_erasure(''acme'', '
  '''…'', ''+447700900123''). With p_contact it also counts the rows that have the former number, with its country '
  'code, or the former address. They may be another account''s by now. The first row has the result: it is done if no '
  'verdict is in capitals. counted_by is the statement that counted, for the owner.';
grant execute on function admin.verify_erasure(text, uuid, text) to kith_reader;

create or replace function internal.trace_in_words(p_trace text) returns text
  language sql
  immutable
as $$
  select replace(split_part(p_trace, ' where ', 1), '_', ' ')
    || case
      when p_trace ~ 'note is not null' then ': notes'
      when p_trace ~ 'num_nonnulls|detail not in' then ': words'
      else ''
    end
$$;
comment on function internal.trace_in_words(text) is
  'The kind of rows that a condition of internal.traces_of_user or internal.rows_with_contact counts, in words.';

create or replace function internal.trace_as_statement(p_trace text, p_tenant integer, p_user text) returns text
  language plpgsql
  immutable
as $$
begin
  return format(
    'select count(*) from kith.%s',
    replace(replace(p_trace, ' where ', format(' where tenant_id = %s and ', p_tenant)), '$2', p_user)
  );
end
$$;
comment on function internal.trace_as_statement(text, integer, text) is
  'The statement that counts the rows of a condition of internal.traces_of_user. p_user is the user''s id as a '
  'literal.';

create or replace function internal.contact_as_kept(p_contact text) returns text
  language plpgsql
  immutable
as $$
declare
  v_phone text := regexp_replace(regexp_replace(p_contact, '[\s().\-/]', '', 'g'), '^00', '+');
begin
  if p_contact like '%@%' then
    return btrim(p_contact);
  elsif v_phone !~ '^\+[1-9][0-9]{4,14}$' then
    -- A number in another form would be found nowhere, and so seem to be erased.
    perform internal.refuse_fields(internal.field_error(
      'p_contact', 'must be an e-mail address, or a phone number with + and its country code, like +447700900123'
    ));
  end if;
  return v_phone;
end
$$;
comment on function internal.contact_as_kept(text) is
  'A phone number or an e-mail address as tables have it, from an operator''s spelling; a number needs its country '
  'code. Null for null. For admin.verify_erasure.';

create or replace function internal.rows_with_contact(p_contact text) returns table (what text, rows bigint)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := internal.normalized_email(p_contact);
begin
  for what in
    values ('users where $2 in (phone, pending_phone) or $3 in (email_normalized, lower(pending_email))'),
      ('nominees where phone = $2 or email_normalized = $3'), ('transfers where phone = $2 or lower(email) = $3'),
      ('connection_invitation_recipients where $2 in (phone, given_phone)'),
      ('deliveries where address = $2 or lower(address) = $3'), ('otp_codes where address in ($2, $3)'),
      ('otp_tries where address in ($2, $3)'), ('text_invitations where address = $2'),
      ('text_numbers where phone = $2')
  loop
    execute format('select count(*) from kith.%s)', replace(what, ' where ', ' where tenant_id = $1 and ('))
    into rows using v_tenant, p_contact, v_email;
    what := replace(replace(what, '$2', quote_literal(p_contact)), '$3', quote_literal(v_email));
    return next;
  end loop;
end
$$;
comment on function internal.rows_with_contact(text) is
  'How many rows of the tenant have a phone number or e-mail address, with the statement that counted them. It reads '
  'these tables from end to end. For admin.verify_erasure.';

drop view if exists admin.erasures;
create view admin.erasures with (security_barrier, security_invoker) as
select tenant.slug as tenant, act.subject::uuid as user_id, act.at, act.actor,
  format('select * from admin.verify_erasure(%L, %L)', tenant.slug, act.subject) as proof,
  account.deleted_at is null as must_be_repeated
from kith.audit as act
join kith.tenants as tenant on tenant.tenant_id = act.tenant_id
left join kith.users as account on account.tenant_id = act.tenant_id and account.id::text = act.subject
where act.action = 'user.delete' and account.id is not null;
comment on view admin.erasures is
  'The accounts that were erased, by the user, the tenant''s server or an operator, as long as the audit is kept: '
  'select * from admin.erasures order by at desc. Those that a restore brought back are not here, because the restore '
  'took their audit too: PostgreSQL''s log has them, each in a line "kith erased".';
comment on column admin.erasures.tenant is 'The tenant''s slug.';
comment on column admin.erasures.user_id is 'The account.';
comment on column admin.erasures.at is 'When it was erased.';
comment on column admin.erasures.actor is 'Who erased it.';
comment on column admin.erasures.proof is
  'The statement that shows that nothing is left. Give it the former number or address as a third argument: the '
  'database no longer knows them.';
comment on column admin.erasures.must_be_repeated
  is 'Whether the account is live, because it was imported or restored again.';
grant select on admin.erasures to kith_reader;
