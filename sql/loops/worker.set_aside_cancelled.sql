create or replace function worker.set_aside_cancelled(p_now timestamptz, p_row jsonb) returns void
  language plpgsql
as $$
begin
  perform internal.put_aside(
    p_row ->> 'loop', (p_row ->> 'tenant_id')::integer, p_row ->> 'key', '57014', p_row ->> 'place',
    internal.present(p_now)
  );
end
$$;
comment on function worker.set_aside_cancelled(timestamptz, jsonb) is
  'Sets aside a row whose processing was cancelled, since it took longer than a statement may. p_row is the detail of '
  'the error (internal.work_off): the transaction that found the row was rolled back.';
grant execute on function worker.set_aside_cancelled(timestamptz, jsonb) to kith_worker;
