-- Nobody could have uploaded anything before this: there was no procedure for it.
alter table kith.document_versions
  add column chunk_size integer not null
    constraint document_versions_chunk_size_in_bounds check (chunk_size between 4096 and 1048576);
comment on column kith.document_versions.chunk_size is
  'How many bytes of the content are in each chunk but the last: by it the chunk is found that a range of bytes begins in.';

-- By which the oldest and the newest key are found when a server looks whether it has the right master key.
create index vault_keys_by_age on kith.vault_keys (created_at);
