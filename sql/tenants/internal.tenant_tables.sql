create or replace function internal.tenant_tables() returns table (name text, level integer, key text[])
  language sql
  stable
as $$
  with recursive tables as (
    select class.oid, class.relname::text as name
    from pg_catalog.pg_class as class
    join pg_catalog.pg_attribute as attribute
      on attribute.attrelid = class.oid and attribute.attname = 'tenant_id' and not attribute.attisdropped
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
  ), depths as (
    select tables.oid, 0 as depth from tables
    union
    select reference.conrelid, depths.depth + 1
    from depths
    join pg_catalog.pg_constraint as reference on reference.confrelid = depths.oid and reference.contype = 'f'
      and reference.conparentid = 0 and reference.conrelid <> reference.confrelid
    where depths.depth < 20
  )
  select tables.name, (select max(depths.depth) from depths where depths.oid = tables.oid),
    array(
      select attribute.attname::text
      from pg_catalog.pg_index as index
      cross join unnest(index.indkey::smallint[]) with ordinality as part (number, position)
      join pg_catalog.pg_attribute as attribute
        on attribute.attrelid = index.indrelid and attribute.attnum = part.number
      where index.indrelid = tables.oid and index.indisprimary and attribute.attname <> 'tenant_id'
      order by part.position
    )
  from tables
$$;
comment on function internal.tenant_tables() is
  'Every table with a tenant_id, from the catalogue, so that none that is added later is forgotten. level: a table '
  'refers only to tables of lower levels. key: the primary key without the tenant.';
