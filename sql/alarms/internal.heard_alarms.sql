create or replace function internal.note_heard(p_tenant integer, p_user uuid, p_alarm uuid, p_channel text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.canary_answers (tenant_id, alarm_id, channel, at)
  select p_tenant, p_alarm, coalesce(p_channel, case when person.email_verified_at is not null then 'email' else 'sms' end), p_now
  from internal.hidden_person(p_tenant, p_user) as hidden
  join kith.users as person on person.tenant_id = p_tenant and person.id = hidden.user_id
  on conflict do nothing;
end
$$;
comment on function internal.note_heard(integer, uuid, uuid, text, timestamptz) is
  'Notes that the receiver of a canary has answered an alarm on a channel (G10); of a person nothing. p_channel is null for a link, which counts as the '
  'mail''s where the receiver has an address, because a text is answered by "1". For definer procedures of every door.';
