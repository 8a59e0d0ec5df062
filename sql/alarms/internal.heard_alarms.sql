create or replace function internal.note_heard(p_tenant integer, p_user uuid, p_alarm uuid, p_channel text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.canary_answers (tenant_id, alarm_id, channel, at)
  select p_tenant, p_alarm, p_channel, p_now from internal.hidden_person(p_tenant, p_user)
  on conflict do nothing;
end
$$;
comment on function internal.note_heard(integer, uuid, uuid, text, timestamptz) is
  'Notes that the receiver of a canary has answered an alarm on a channel (G10); of a person nothing. For definer procedures of every door.';
