-- What waits for the caller, and the answers by id (F08). The rules are those of an answer by token. These functions
-- are security definers because the rows belong to the owner until somebody accepts.

create or replace function api.list_own_invitations(p_limit integer, p_cursor uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.waiting_invitation_json(page.kind, page.id, page.expires_at) order by page.n)
          filter (where page.n <= p_limit and page.expires_at is not null), '[]'
      ),
      'next_cursor', case
        when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit]
        when count(*) > count(page.expires_at) then (array_agg(page.id order by page.n desc))[1]
      end
    )
    from internal.waiting_invitations(p_limit + 1, p_cursor, p_now) with ordinality as page (id, kind, expires_at, n)
  );
end
$$;
comment on function api.list_own_invitations(integer, uuid, timestamptz) is
  'Returns the invitations to vaults and the offers of vaults that wait for the caller, newest first. They are found '
  'by the caller''s verified contacts only, and by the nominee that an offer names. It looks at 1,000 rows of a kind '
  'at most, so a page may have fewer than p_limit items, or none, and yet a next_cursor.';
grant execute on function api.list_own_invitations(integer, uuid, timestamptz) to kith_api;

create or replace function api.accept_own_invitation(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  perform internal.require_user();
  v_found := internal.find_own_invitation(p_id);
  if v_found.kind = 'nominee' then
    return internal.accept_nominee_invitation(v_found.id, p_now);
  end if;
  return internal.accept_transfer(v_found.id, p_now);
end
$$;
comment on function api.accept_own_invitation(uuid, timestamptz) is
  'Accepts an invitation or offer that waits for the caller, as accept_invitation does by token. Raises not_found if '
  'it does not name a verified contact of the caller.';
grant execute on function api.accept_own_invitation(uuid, timestamptz) to kith_api;

create or replace function api.decline_own_invitation(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  perform internal.require_user();
  v_found := internal.find_own_invitation(p_id);
  perform internal.refuse_blocked_answer(v_found.kind, p_id);
  if v_found.kind = 'nominee' then
    perform internal.decline_nominee_invitation(v_found.id, p_now);
  else
    perform internal.decline_transfer(v_found.id, p_now);
  end if;
  return json_build_object(
    'id', p_id, 'kind', v_found.kind,
    'state', 'declined', 'card', internal.invitation_card(v_found.kind, 'declined', null)
  );
end
$$;
comment on function api.decline_own_invitation(uuid, timestamptz) is
  'Declines an invitation or offer that waits for the caller, as decline_invitation does by token. Returns its new '
  'state and card. Raises not_found if it does not name a verified contact of the caller, and invitation_invalid if a '
  'block stands between the caller and the vault''s owner, as accepting does.';
grant execute on function api.decline_own_invitation(uuid, timestamptz) to kith_api;
