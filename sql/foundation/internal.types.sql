-- Types of columns.

create or replace function internal.base_type(p_type oid) returns regtype
  language plpgsql
  stable
as $$
begin
  return (
    select case type.typtype when 'd' then type.typbasetype else type.oid end from pg_catalog.pg_type as type
    where type.oid = p_type
  );
end
$$;
comment on function internal.base_type(oid) is
  'The type that a domain bounds, such as timestamptz for kith.instant, or the type itself. Whoever looks for the '
  'columns of a type asks for it.';
