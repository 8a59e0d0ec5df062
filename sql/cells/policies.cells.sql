grant select on kith.cells to kith_reader;

create policy "a login of one tenant reads how its cell is reached" on kith.cells
  for select
  to kith_reader
  using (
    (select internal.bound_tenant()) is not null
    and (
      address is null or name = (select cell from kith.tenant_cells where tenant_id = (select internal.bound_tenant()))
    )
  );
comment on policy "a login of one tenant reads how its cell is reached" on kith.cells is
  'The commands of an operator who sees one tenant find its cell. They see no other cell.';
