-- What the worker could not process, for an operator.

drop view if exists admin.set_aside;
create view admin.set_aside with (security_barrier, security_invoker) as
select tenant.slug as tenant, aside.loop, aside.key, aside.sqlstate, aside.place, aside.tries, aside.first_at as since,
  aside.retry_at
from kith.set_aside as aside
left join kith.tenants as tenant on tenant.tenant_id = aside.tenant_id
where tenant.deleted_at is null;
comment on view admin.set_aside is
  'Rows that a loop of the worker cannot process. It goes on with all others, and tries each of these again at '
  'retry_at. admin.retry_set_aside makes it try at once. The log has the same.';
comment on column admin.set_aside.tenant
  is 'The tenant''s slug; null for what belongs to the installation, as a partition does.';
comment on column admin.set_aside.loop is
  'The procedure of schema worker. A row of claim_deliveries is a delivery that is not sent, one of miss_pings a '
  'missed ping of which nobody was told.';
comment on column admin.set_aside.key is
  'The id of the row or, where its table has none, the primary key without the tenant. Of generate_daily_pings it is a '
  'sender, a date and a zone, or a zone and a date.';
comment on column admin.set_aside.sqlstate is 'The code of the error, as in appendix A of the PostgreSQL manual.';
comment on column admin.set_aside.place is
  'Where it happened: the table and the constraint, if one was violated, and the function with its line.';
comment on column admin.set_aside.tries is 'How often it has failed.';
comment on column admin.set_aside.since is 'When it failed for the first time.';
comment on column admin.set_aside.retry_at is 'When the loop tries it again.';
grant select on admin.set_aside to kith_reader;

create or replace function admin.retry_set_aside(
  p_loop text, p_key text, p_reason text, p_now timestamptz default now()
)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_retried integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  update kith.set_aside
  set retry_at = p_now
  where loop = coalesce(p_loop, loop) and key = coalesce(p_key, key);
  get diagnostics v_retried = row_count;
  perform internal.record_act(
    0, internal.operator(), 'worker.retry_set_aside', p_loop,
    jsonb_build_object('key', p_key, 'rows', v_retried, 'reason', p_reason)
  );
  return v_retried;
end
$$;
comment on function admin.retry_set_aside(text, text, text, timestamptz) is
  'Makes the worker try at once what it has set aside: select admin.retry_set_aside(''miss_pings'', ''…'', ''the row '
  'is mended''). null stands for every loop, and for every key. Returns how many rows it will try.';
grant execute on function admin.retry_set_aside(text, text, text, timestamptz) to kith_admin;
