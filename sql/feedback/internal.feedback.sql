create or replace function internal.feedback_json(p_feedback kith.feedback) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_feedback).id,
    'topic', (p_feedback).topic,
    'rating', (p_feedback).rating,
    'text', (p_feedback).text,
    'created_at', internal.instant((p_feedback).created_at)
  )
$$;
comment on function internal.feedback_json(kith.feedback)
  is 'Feedback in the API''s representation, without its author.';
grant execute on function internal.feedback_json(kith.feedback) to kith_api;

create or replace function internal.exported_feedback(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select coalesce(json_agg(internal.feedback_json(page.feedback) order by (page.feedback).id), '[]'),
    case when count(*) = p_limit then (array_agg((page.feedback).id order by (page.feedback).id desc))[1] end
  into items, next_cursor
  from (
    select feedback
    from kith.feedback as feedback
    where feedback.tenant_id = v_tenant and feedback.user_id = v_user
      and feedback.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by feedback.id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_feedback(uuid, integer)
  is 'A page of the current user''s feedback, oldest first.';
grant execute on function internal.exported_feedback(uuid, integer) to kith_api;

create or replace function internal.sweep_feedback(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('expire_rows.delete', array(
    select due.old
    from internal.retentions(p_now) as kept
    -- One look at the oldest of each tenant, because each has its own retention.
    cross join lateral (
      select old from kith.feedback as old
      where old.tenant_id = kept.tenant_id and old.id < internal.first_uuid7(p_now - kept.days * interval '1 day')
        and not exists (select from internal.shut_out('expire_rows', old.tenant_id, old.id::text, p_now))
      order by old.id
      limit p_batch
    ) as due
    where kept.kind = 'feedback_and_requests'
    limit p_batch
  ), null, p_now);
end
$$;
comment on function internal.sweep_feedback(timestamptz, integer) is
  'Deletes at most p_batch rows of feedback that are older than their tenant''s retention. Returns how many. For '
  'worker.expire_rows.';
