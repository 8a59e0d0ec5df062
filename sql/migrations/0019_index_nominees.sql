-- The day's limit of invitations counts those of a user over all vaults.
create index nominees_of_inviter on kith.nominees (tenant_id, invited_by_user_id, id) where share_participant_id is null;
