-- How often somebody has done something today, so that nobody fills tables without end, on whichever server.
create table kith.act_counts (
  tenant_id integer not null,
  actor_id uuid not null,
  act text not null constraint act_counts_act_is_short check (char_length(act) between 1 and 30),
  counted_on date not null,
  acts integer not null,
  constraint act_counts_pkey primary key (tenant_id, actor_id, act)
) with (fillfactor = 70);
comment on table kith.act_counts is 'How often a user has done something on one UTC date (internal.acts_a_day says how often they may). One row a user and act, written in place. No foreign key: the row is locked before anything else, and a foreign key would lock the account after it.';
comment on column kith.act_counts.actor_id is 'A user; the tenant''s server under the id of zeros.';
comment on column kith.act_counts.counted_on is 'The UTC date of the count; another date begins at 1.';

-- For the end in all that a vault's shares have, ended ones included.
create index shares_of_vault on kith.shares (tenant_id, vault_id);
