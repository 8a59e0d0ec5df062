create or replace function worker.keep_alarm_links(
  p_tenants integer[], p_alarms uuid[], p_receivers uuid[], p_hashes bytea[], p_channel text, p_now timestamptz
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  insert into kith.alarm_links (tenant_id, token_hash, alarm_id, receiver_id, channel, created_at)
  select link.tenant_id, link.token_hash, link.alarm_id, link.receiver_id, p_channel, p_now
  from unnest(p_tenants, p_alarms, p_receivers, p_hashes) as link (tenant_id, alarm_id, receiver_id, token_hash)
  join kith.alarm_receivers as receiver
    on receiver.tenant_id = link.tenant_id and receiver.alarm_id = link.alarm_id
      and receiver.receiver_id = link.receiver_id
  join kith.users as person
    on person.tenant_id = link.tenant_id and person.id = link.receiver_id and person.deleted_at is null
  order by link.tenant_id, link.token_hash
  on conflict do nothing;
end
$$;
comment on function worker.keep_alarm_links(integer[], uuid[], uuid[], bytea[], text, timestamptz) is
  'Makes the links in the messages about alarms that a worker is about to send on a channel valid, by the SHA-256 of '
  'their tokens: each of an alarm and one of its receivers. As worker.keep_check_in_links. Security definer, because '
  'no role may write links.';
grant execute on function worker.keep_alarm_links(integer[], uuid[], uuid[], bytea[], text, timestamptz) to kith_worker;
