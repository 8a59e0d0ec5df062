-- What operators use, as JSON: the views of the schema admin with their columns, and its procedures with their arguments and results.
select jsonb_agg(part.described order by part.described ->> 'name')
from (
  select jsonb_build_object(
    'name', 'admin.' || class.relname, 'kind', 'view',
    'columns', (
      select jsonb_object_agg(attribute.attname, format_type(attribute.atttypid, null))
      from pg_catalog.pg_attribute as attribute
      where attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
    )
  )
  from pg_catalog.pg_class as class
  where class.relnamespace = 'admin'::regnamespace and class.relkind = 'v'
  union all
  select jsonb_build_object(
    'name', format('admin.%s()', routine.proname), 'kind', 'procedure',
    'takes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', argument.name, 'type', format_type(argument.type, null), 'must', argument.n <= routine.pronargs - routine.pronargdefaults
      ) order by argument.n), '[]')
      from unnest(routine.proargtypes::oid[], routine.proargnames[1:routine.pronargs]) with ordinality as argument (type, name, n)
    ),
    'gives', case
      when routine.proallargtypes is null then jsonb_build_object('', format_type(routine.prorettype, null))
      else (
        select jsonb_object_agg(argument.name, format_type(argument.type, null))
        from unnest(routine.proallargtypes, routine.proargnames, routine.proargmodes) as argument (type, name, mode)
        where argument.mode in ('o', 't', 'b')
      )
    end
  )
  from pg_catalog.pg_proc as routine
  where routine.pronamespace = 'admin'::regnamespace
) as part (described);
