create or replace function internal.emit_event(
  p_tenant_id integer, p_user_id uuid, p_type text, p_subject_id uuid, p_parent_id uuid, p_ping_on date,
  p_now timestamptz
) returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
  values (p_tenant_id, internal.uuid7(p_now), p_user_id, p_type, p_subject_id, p_parent_id, p_ping_on);
end
$$;
comment on function internal.emit_event(integer, uuid, text, uuid, uuid, date, timestamptz) is
  'Writes one event, in the transaction of the change. For definer procedures: nobody else may insert there.';
