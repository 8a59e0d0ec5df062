-- PostgreSQL lets every role make temporary objects, and searches them first for the names of tables and types unless a
-- search_path says otherwise. A role that can make none cannot put its own type in the place of one that a definer names.
-- Only the owner of the database or a superuser may revoke this; `kith doctor` reports it where neither runs the migration.
reset role;
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;
set local role kith_owner;
