grant select on kith.text_invitations to kith_reader;
