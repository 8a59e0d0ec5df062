-- Wrong tries counted for the address, and so anybody could spend those of its owner.
alter table kith.otp_codes
  add column by_known_device boolean not null default false,
  add column open_tries integer not null default 0;
comment on column kith.otp_codes.by_known_device is
  'Whether the request came with a refresh token of the address''s user. Such codes have limits of their own, which strangers cannot use up, and are tried by their challenge only.';
comment on column kith.otp_codes.tries is
  'How often the code was tried by whoever asked for it: with its id as challenge, or as the user who wants the contact. The fifth is the last.';
comment on column kith.otp_codes.open_tries is
  'How often somebody tried a code of the address without a challenge while this was one of the two newest. The fifth is the last.';
comment on table kith.otp_tries is
  'Each code that was tried for an address without a challenge, for the limit of ten an hour. Swept after an hour.';
