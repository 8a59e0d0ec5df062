create or replace function internal.note_heard(
  p_tenant integer, p_user uuid, p_alarm uuid, p_channel text, p_now timestamptz
)
  returns boolean
  language plpgsql
as $$
begin
  if not exists (select from internal.hidden_person(p_tenant, p_user)) then
    return false;
  end if;
  insert into kith.canary_answers (tenant_id, alarm_id, channel, at)
  values (p_tenant, p_alarm, p_channel, p_now) on conflict do nothing;
  return true;
end
$$;
comment on function internal.note_heard(integer, uuid, uuid, text, timestamptz) is
  'Notes that the receiver of a canary has answered an alarm on a channel (G10), and returns true: the answer changes '
  'nothing else, so that each channel has its time. For a person it notes nothing and returns false. For definer '
  'procedures of every door.';
