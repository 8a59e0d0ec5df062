create table kith.idempotency_key_subjects (
  tenant_id integer not null,
  subject_id uuid not null,
  caller text not null,
  key text not null,
  constraint idempotency_key_subjects_pkey primary key (tenant_id, subject_id, caller, key),
  constraint idempotency_key_subjects_key foreign key (tenant_id, caller, key) references kith.idempotency_keys on delete cascade
);
create index idempotency_key_subjects_of_key on kith.idempotency_key_subjects (tenant_id, caller, key);
comment on table kith.idempotency_key_subjects is
  'Whom and what a kept answer may name: the ids in the request''s path and in the answer. The answer is withheld once its caller may no longer see one of them, and deleted with the account of a user. A table of its own, because an operator of arrays is not leakproof: under policies it is never an index condition.';
