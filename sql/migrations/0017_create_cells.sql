-- The map of an installation that has several databases: which cells there are, and in which of them each tenant lives (decision 51). One
-- cell, the directory, has the map. In an installation with one database these tables are empty.

create table kith.cells (
  name text not null
    constraint cells_pkey primary key
    constraint cells_name_is_short check (name ~ '^[a-z][a-z0-9-]{0,30}$'),
  address text constraint cells_address_is_short check (char_length(address) between 1 and 2000),
  cluster text not null constraint cells_cluster_is_a_number check (cluster ~ '^[0-9]{1,20}$'),
  database oid not null,
  is_open boolean not null default true,
  added_at kith.instant not null,
  constraint cells_are_different_databases unique (cluster, database)
);
create unique index cells_have_one_directory on kith.cells ((address is null)) where address is null;
comment on table kith.cells is
  'The databases of this installation, each a complete Kith with tenants of its own. Empty in an installation with one database, and in a cell that is not the directory.';
comment on column kith.cells.address is
  'The libpq URL of the cell, without a user and a password: each program connects with those of its own URL. Null for the directory itself, which programs know.';
comment on column kith.cells.cluster is 'The system identifier of the PostgreSQL server (pg_control_system). A standby has the same one as its primary.';
comment on column kith.cells.database is 'The oid of the database in its server. Together with the cluster it tells whether two addresses lead to the same database.';
comment on column kith.cells.is_open is 'Whether new tenants may be created there.';

create table kith.tenant_cells (
  tenant_id integer not null constraint tenant_cells_pkey primary key,
  slug text not null constraint tenant_cells_slug_is_one_tenants unique,
  cell text not null,
  version bigint not null
);
create index tenant_cells_by_version on kith.tenant_cells (version);
create index tenant_cells_by_cell on kith.tenant_cells (cell);
comment on table kith.tenant_cells is
  'The cell of each tenant of the installation. A tenant is entered before it is created in its cell, so that its number and its slug are unique over all cells.';
comment on column kith.tenant_cells.version is 'The version of the map (kith.cell_map) in which the row changed last.';

create table kith.cell_map (
  only_row boolean not null default true constraint cell_map_pkey primary key constraint cell_map_is_one_row check (only_row),
  version bigint not null,
  whole_since bigint not null,
  constraint cell_map_versions_are_in_order check (whole_since <= version)
);
comment on table kith.cell_map is
  'The version of the map. Each change increments it under the lock of the row, so versions are in the order of commits and a server that asks for newer rows misses none.';
comment on column kith.cell_map.whole_since is
  'The version of the last change that removed something. Servers with an older map read all of it.';

create table kith.cell_directory (
  only_row boolean not null default true constraint cell_directory_pkey primary key constraint cell_directory_is_one_row check (only_row),
  name text not null,
  cluster text not null,
  database oid not null,
  joined_at kith.instant not null
);
comment on table kith.cell_directory is
  'In a cell that is not the directory: its name, and the database that is its directory. A cell numbers no tenants itself.';
comment on column kith.cell_directory.cluster is 'The system identifier of the directory''s PostgreSQL server.';
comment on column kith.cell_directory.database is 'The oid of the directory''s database.';

create table kith.tenant_moves (
  tenant_id integer not null constraint tenant_moves_pkey primary key,
  slug text not null,
  source text not null,
  target text not null,
  step text not null default 'copy'
    constraint tenant_moves_step_is_known check (step in ('copy', 'hold', 'switch', 'clean', 'abort')),
  began_at kith.instant not null,
  began_by text not null,
  constraint tenant_moves_lead_elsewhere check (source <> target)
);
comment on table kith.tenant_moves is
  'In the directory: the tenants that are being moved from one cell to another. Who serves a tenant is decided by kith.moving_tenants in the two cells, not here.';
comment on column kith.tenant_moves.step is
  'How far kith tenant move has come: copy: rows are copied and changes follow; hold: writes wait; switch: the map names the target; clean: the target serves, and the source''s rows are deleted; abort: the target''s rows are deleted.';

create table kith.moving_tenants (
  tenant_id integer not null constraint moving_tenants_pkey primary key,
  state text not null constraint moving_tenants_state_is_known check (state in ('leaving', 'gone', 'arriving', 'here')),
  changed_at kith.instant not null,
  came_at kith.instant,
  left_version bigint,
  constraint moving_tenants_that_left_are_elsewhere check (left_version is null or state in ('gone', 'arriving')),
  constraint moving_tenants_that_are_here_came check (state <> 'here' or came_at is not null)
);
create index moving_tenants_by_departure on kith.moving_tenants (left_version) where left_version is not null;
comment on table kith.moving_tenants is
  'In a cell: the tenants that move away, those that came, and those that have left, until they come back. While a tenant moves, triggers on all of its tables ask this table (internal.guard_moving_tenant).';
comment on column kith.moving_tenants.state is
  'leaving: served here, and copied to another cell; gone: served there, and writes are refused, also when no other row of the tenant is left; arriving: served elsewhere, and writes are refused; here: it came, and is served here.';
comment on column kith.moving_tenants.changed_at is 'When the state was entered.';
comment on column kith.moving_tenants.came_at is
  'When the tenant came, if it did. Positions in the event feed from before are those of another database (internal.read_position).';
comment on column kith.moving_tenants.left_version is
  'The version of the map that named another cell, if the tenant has left. A server whose map is older learns from it that the tenant lives elsewhere, and does not refuse the tenant''s people as unknown (api.departed_tenants).';

create table kith.move_marks (
  tenant_id integer not null constraint move_marks_pkey primary key,
  mark bigint not null
);
comment on table kith.move_marks is
  'A row of a tenant that moves, which kith tenant move changes in the source. When the change arrives in the target, all earlier changes have arrived.';
