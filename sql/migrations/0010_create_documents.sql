-- The documents of vaults, their versions, and the content in chunks.

create table kith.documents (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  version_id uuid not null,
  name text not null constraint documents_name_is_short check (char_length(name) between 1 and 255),
  content_type text not null constraint documents_content_type_is_short check (char_length(content_type) between 3 and 255),
  size bigint not null constraint documents_size_in_bounds check (size between 0 and 26214400),
  sha256 bytea not null constraint documents_hash_is_sha256 check (octet_length(sha256) = 32),
  created_at kith.instant not null,
  created_by uuid not null,
  updated_at kith.instant not null,
  updated_by uuid,
  deleted_at kith.instant,
  deleted_by uuid,
  constraint documents_pkey primary key (tenant_id, id),
  constraint documents_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade
);
create index documents_of_vault on kith.documents (tenant_id, vault_id, id);
-- Each list of vaults counts the documents.
create index documents_live on kith.documents (tenant_id, vault_id) where deleted_at is null;
create index documents_deleted on kith.documents (deleted_at) where deleted_at is not null;
comment on table kith.documents is
  'The documents of a vault. A document''s content is one version of it, stored in chunks. A deleted document can be restored for 30 days.';
comment on column kith.documents.version_id is
  'The version that is the content. A document exists from the time when its first version is complete.';
comment on column kith.documents.updated_by is 'Who made the last change. Null if nobody has changed the document since it was added.';
comment on column kith.documents.sha256 is 'The SHA-256 of the content as it was uploaded.';

create table kith.document_versions (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  document_id uuid not null,
  state text not null constraint document_versions_state_is_known check (state in ('uploading', 'current', 'replaced')),
  created_by uuid not null,
  created_at kith.instant not null,
  chunks integer,
  size bigint,
  ended_at kith.instant,
  chunk_size integer not null constraint document_versions_chunk_size_in_bounds check (chunk_size between 4096 and 1048576),
  constraint document_versions_pkey primary key (tenant_id, id),
  constraint document_versions_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint document_versions_whole_are_measured check (state = 'uploading' or chunks is not null and size is not null)
);
create index document_versions_of_document on kith.document_versions (tenant_id, document_id);
create index document_versions_of_vault on kith.document_versions (tenant_id, vault_id);
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index document_versions_to_sweep on kith.document_versions ((case when ended_at is null then created_at else ended_at end)) where state <> 'current';
comment on table kith.document_versions is
  'An upload of a document. Nobody sees it before it is complete. Unfinished and replaced versions are deleted after an hour.';
comment on column kith.document_versions.chunk_size is
  'The size in bytes of the content in each chunk but the last. It determines in which chunk a range of bytes begins.';

create table kith.document_chunks (
  tenant_id integer not null,
  version_id uuid not null,
  n integer not null constraint document_chunks_n_in_bounds check (n between 0 and 1000000),
  sealed bytea not null,
  constraint document_chunks_pkey primary key (tenant_id, version_id, n),
  constraint document_chunks_version foreign key (tenant_id, version_id) references kith.document_versions (tenant_id, id) on delete cascade
);
-- Encrypted bytes do not compress. Trying to compress them costs more than sending them.
alter table kith.document_chunks alter column sealed set storage external;
comment on table kith.document_chunks is 'The chunks of a version, numbered from 0.';
comment on column kith.document_chunks.sealed is
  'The content, sealed with AES-256-GCM under the vault''s key and bound to tenant, vault, document, version and position, and to whether it is the last chunk.';
