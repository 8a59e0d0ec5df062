create or replace function worker.keep_check_in_links(
  p_tenants integer[], p_users uuid[], p_dates date[], p_hashes bytea[], p_now timestamptz
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  insert into kith.check_in_links (tenant_id, token_hash, user_id, ping_on, created_at)
  select link.tenant_id, link.token_hash, link.user_id, link.ping_on, p_now
  from unnest(p_tenants, p_users, p_dates, p_hashes) as link (tenant_id, user_id, ping_on, token_hash)
  join kith.users as person
    on person.tenant_id = link.tenant_id and person.id = link.user_id and person.deleted_at is null
  order by link.tenant_id, link.token_hash
  on conflict do nothing;
end
$$;
comment on function worker.keep_check_in_links(integer[], uuid[], date[], bytea[], timestamptz) is
  'Makes the links in the messages that a worker is about to send valid, by the SHA-256 of their tokens: each of a '
  'sender and a local date. The worker derives the tokens from the master key, so that a message that is sent again '
  'repeats its link. Security definer, because no role may write links.';
grant execute on function worker.keep_check_in_links(integer[], uuid[], date[], bytea[], timestamptz) to kith_worker;
