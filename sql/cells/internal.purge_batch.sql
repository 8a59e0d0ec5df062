create or replace function internal.purge_batch(p_tenant_id integer, p_table text, p_key text[], p_batch integer)
  returns integer
  language plpgsql
as $$
declare
  v_key text := (select string_agg(format('%I', name), ', ') from unnest(p_key) as name);
  v_bound text;
  v_deleted integer;
begin
  if v_key is not null then
    -- The range of the first rows by key: one scan of the index, however many rows are left.
    v_bound := format('(%s) < (%s)', v_key, (select string_agg('%L', ', ') from unnest(p_key)));
    execute format(
      'select format(%L, %s) from kith.%I where tenant_id = $1 order by %2$s offset $2 limit 1', v_bound, v_key, p_table
    ) into v_bound using p_tenant_id, p_batch;
  end if;
  execute format('delete from kith.%I where tenant_id = $1%s', p_table, ' and ' || v_bound) using p_tenant_id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function internal.purge_batch(integer, text, text[], integer) is
  'Deletes the first p_batch rows of a tenant in a table, in the order of its key. Returns how many.';
