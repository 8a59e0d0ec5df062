-- A client that refreshes several times at once with one token gets as many successors, and nobody knows which of the answers it keeps. All
-- but the last one were dead, and using one of them ended the sign-in of somebody who had done nothing wrong.
alter table kith.refresh_tokens add column predecessor_id uuid;
comment on column kith.refresh_tokens.predecessor_id is
  'The token whose use gave this one. Of several with the same predecessor one can be used; using a second one ends the family. Null for the first of a family.';
comment on column kith.refresh_tokens.replaced_at is
  'When its predecessor was used again, within a minute, and gave a newer one. It counts until one of them is used.';
