"""The model of vaults, nominees, invitations and sessions (section D of docs/product.md)."""

import dataclasses
import datetime as dt
import typing

from times import DAY, HOUR, MINUTE, text

LEVELS = ["view", "edit", "full"]


@dataclasses.dataclass(eq=False)
class Session:
    unlocked_by: object
    opened_at: dt.datetime
    expires_at: dt.datetime
    maximum_at: dt.datetime
    last_activity_at: dt.datetime
    inside: list
    id: typing.Optional[str] = None
    locked_at: typing.Optional[dt.datetime] = None
    locked_by: typing.Optional[object] = None
    lock_reason: typing.Optional[str] = None
    #: The request for emergency access that opened it; none for the shared session.
    request: typing.Optional[object] = None


@dataclasses.dataclass(eq=False)
class Invitation:
    created_at: dt.datetime
    expires_at: dt.datetime
    token: typing.Optional[str] = None
    end_reason: typing.Optional[str] = None


@dataclasses.dataclass(eq=False)
class Nominee:
    vault: object
    name: str
    level: str
    invited_at: dt.datetime
    invited_by: object
    invitations: list
    status: str = "pending"
    user: typing.Optional[object] = None
    needs_confirmation: bool = False
    bound_at: typing.Optional[dt.datetime] = None
    #: Only the invitation's link says who the user is. Invitations of this model name no contact.
    bound_by_link: bool = False
    accepted_at: typing.Optional[dt.datetime] = None
    last_active_at: typing.Optional[dt.datetime] = None
    revoke_reason: typing.Optional[str] = None
    revoked_at: typing.Optional[dt.datetime] = None
    #: The newest session that emergency access has opened.
    session: typing.Optional[object] = None
    id: typing.Optional[str] = None

    @property
    def bound_since(self):
        return self.bound_at or self.accepted_at or self.invited_at


@dataclasses.dataclass(eq=False)
class Vault:
    name: str
    owner: object
    require_confirmation: bool
    full_may_open: bool
    created_at: dt.datetime
    updated_at: dt.datetime
    id: typing.Optional[str] = None
    deleted_at: typing.Optional[dt.datetime] = None
    nominees: list = dataclasses.field(default_factory=list)
    sessions: list = dataclasses.field(default_factory=list)


class Vaults:
    def share_a_vault(self, person, other):
        return any({person, other} == {vault.owner, nominee.user} for vault in self.vaults for nominee in vault.nominees)

    def knows_of(self, person, other):
        """X22: whether the other has had to do with the person by a vault, if only by an invitation or by what they did there."""
        return (
            self.share_a_vault(person, other)
            or any({person, other} == {nominee.invited_by, nominee.user} for vault in self.vaults for nominee in vault.nominees)
            or any(told.data.get("user_id") == other.id for told in person.told)
            or (person, other) in self.handed_over
        )

    # Access

    def open_session(self, vault):
        return next((session for session in vault.sessions if session.locked_at is None and session.expires_at > self.now), None)

    def session_of(self, person, vault):
        """The session in which the person is, or can be: the shared one, or their own by emergency access (E04)."""
        session = self.open_session(vault)
        if session is None and vault.owner is not person:
            return self.emergency_session(self.nominee_of(person, vault))
        return session

    def nominee_of(self, person, vault):
        """The person's newest row that is not revoked, else the newest; none in the own vault."""
        rows = [nominee for nominee in vault.nominees if nominee.user is person]
        return max(rows, key=lambda nominee: (nominee.status != "revoked", vault.nominees.index(nominee)), default=None)

    def access(self, person, vault):
        """The role and the level; whoever has none learns why only if they had access once."""
        if vault.owner is person and vault.deleted_at is None:
            return "owner", "full"
        nominee = self.nominee_of(person, vault)
        if nominee is not None and nominee.status == "revoked":
            self.refuse("nominee_revoked")
        if nominee is None or vault.deleted_at is not None:
            self.refuse("not_found")
        if nominee.status != "accepted":
            self.refuse(f"nominee_{nominee.status}")
        return "nominee", self.level_of(nominee)

    def level_of(self, nominee):
        """In an emergency session the granted level, with the shared session the higher of the two."""
        session = self.emergency_session(nominee)
        if session is None:
            return nominee.level
        granted = session.request.right.level
        if self.open_session(nominee.vault) is None:
            return granted
        return max(nominee.level, granted, key=LEVELS.index)

    def require_owner(self, person, vault):
        if self.access(person, vault)[0] != "owner":
            self.refuse("forbidden")

    def manage(self, person, vault):
        """The owner at any time, a nominee with level full while the vault is open (V11)."""
        role, level = self.access(person, vault)
        if role != "owner":
            if self.session_of(person, vault) is None:
                self.refuse("vault_locked")
            if level != "full":
                self.refuse("forbidden")
        return role

    def may_manage(self, person, vault):
        role, level = self.access(person, vault)
        return role == "owner" or level == "full" and self.open_session(vault) is not None

    # Vaults

    def create_vault(self, person, name, require_confirmation, full_may_open):
        vault = Vault(name, person, require_confirmation, full_may_open, self.now, self.now)
        self.vaults.append(vault)
        return vault

    def change_vault(self, person, vault, changes):
        self.require_owner(person, vault)
        if any(getattr(vault, key) != value for key, value in changes.items()):
            vault.__dict__.update(changes)
            vault.updated_at = self.now
        return vault

    def delete_vault(self, person, vault):
        self.require_owner(person, vault)
        # The rights stay, for a restored vault.
        self.end_requests(lambda request: request.nominee.vault is vault, "vault_deleted")
        for session in vault.sessions:
            if session.locked_at is None:
                self.end_session(vault, session, "vault_deleted", person, self.now)
        for nominee in vault.nominees:
            self.end_invitations(nominee, "vault_deleted")
        vault.deleted_at = vault.updated_at = self.now

    def restore_vault(self, person, vault):
        if vault.owner is not person:
            self.require_owner(person, vault)
        if vault.deleted_at is None:
            self.refuse("invalid_transition")
        if vault.deleted_at <= self.now - 30 * DAY:
            self.refuse("not_found")
        vault.deleted_at, vault.updated_at = None, self.now
        return vault

    # Sessions

    def enter(self, person, vault):
        """Opens the vault or joins its session (V01, V06); the session and whether it is new."""
        role, level = self.access(person, vault)
        session = self.open_session(vault)
        # Whoever may open the vault can do so from an emergency session too.
        if session is None and role != "owner" and not (self.nominee_of(person, vault).level == "full" and vault.full_may_open):
            session = self.session_of(person, vault)
            if session is None:
                self.refuse("vault_locked")
        if session is not None:
            self.join(person, session)
            return session
        for old in vault.sessions:
            if old.locked_at is None:
                self.end_session(vault, old, "expired", None, old.expires_at)
        maximum_at = self.now + 12 * HOUR
        session = Session(person, self.now, self.now + 30 * MINUTE, maximum_at, self.now, [person])
        vault.sessions.append(session)
        self.tell_nominees(vault, "vault_opened", "Vault Open", f"{person.name} opened {vault.name}. You can enter now.", person, self.now)
        self.tell_owner(vault, "vault_opened", "Vault Open", f"{person.name} opened {vault.name}.", person, self.now)
        return session

    def join(self, person, session):
        if person not in session.inside:
            session.inside.append(person)

    def lock(self, person, vault):
        role, level = self.access(person, vault)
        if role != "owner" and level != "full":
            self.refuse("forbidden")
        if not vault.sessions:
            self.refuse("invalid_transition")
        for session in vault.sessions:
            if session.locked_at is None:
                self.end_session(vault, session, "manual", person, self.now)
        return vault.sessions[-1]

    def be_active(self, person, vault):
        """V03 to V05: activity moves the end of a session, at most once a minute, and revives none."""
        self.access(person, vault)
        session = self.session_of(person, vault)
        if session is None:
            self.refuse("vault_locked")
        if session.request is not None:
            if session.last_activity_at <= self.now - MINUTE:
                session.last_activity_at = self.nominee_of(person, vault).last_active_at = self.now
            return session
        self.join(person, session)
        if session.last_activity_at <= self.now - MINUTE:
            session.last_activity_at = self.now
            session.expires_at = min(max(session.expires_at, self.now + 30 * MINUTE), session.maximum_at)
        nominee = self.nominee_of(person, vault) if vault.owner is not person else None
        if nominee is not None and (nominee.last_active_at is None or nominee.last_active_at <= self.now - MINUTE):
            nominee.last_active_at = self.now
        return session

    def end_session(self, vault, session, reason, by, at):
        is_late = session.expires_at <= at
        session.locked_at = session.expires_at if is_late else at
        session.locked_by, session.lock_reason = (None, "expired") if is_late else (by, reason)
        self.tell_nominees(vault, "vault_locked", "Vault Locked", f"{vault.name} is locked.", session.locked_by, at)
        if session.lock_reason == "manual":
            self.tell_owner(vault, "vault_locked", "Vault Locked", f"{session.locked_by.name} locked {vault.name}.", session.locked_by, at)

    def lock_expired_sessions(self):
        for vault in self.vaults:
            for session in vault.sessions:
                if session.locked_at is None and session.expires_at <= self.now:
                    self.end_session(vault, session, "expired", None, self.now)

    def session_ends(self):
        return [session.expires_at for vault in self.vaults for session in vault.sessions if session.locked_at is None]

    # Documents

    def documents_seen(self, person, vault):
        """Each vault has one document, which everybody inside can read."""
        self.access(person, vault)
        if self.session_of(person, vault) is None:
            self.refuse("vault_locked")
        return {"items": [{"name": "Will.pdf"}]}

    # Transfer (C07)

    def offer(self, person, nominee):
        self.require_owner(person, nominee.vault)
        self.tell(nominee.user, "transfer_requested", "Vault Transfer", f"{person.name} wants to make you the owner of “{nominee.vault.name}”.", {"vault_id": nominee.vault.id, "user_id": person.id})

    def take_over(self, person, nominee, keeps):
        vault, former = nominee.vault, nominee.vault.owner
        self.end_rights_of_vault(vault, "transferred")
        for session in vault.sessions:
            if session.locked_at is None:
                self.end_session(vault, session, "transferred", person, self.now)
        self.end_nominee(person, nominee, "transferred")
        vault.owner, vault.updated_at = person, self.now
        if keeps:
            kept = Nominee(vault, former.name, "full", self.now, person, [], "accepted", former, accepted_at=self.now)
            vault.nominees.append(kept)
        self.tell(former, "transfer_accepted", "Vault Transfer", f"{person.name} is now the owner of {vault.name}.", {"vault_id": vault.id, "user_id": person.id})
        self.handed_over |= {(former, person), (person, former)}

    # Telling

    def is_opened_often(self, vault, at):
        return sum(session.opened_at >= at - HOUR for session in vault.sessions) > 20

    def tell_nominees(self, vault, type, title, body, by, at):
        if self.is_opened_often(vault, at):
            return
        for nominee in vault.nominees:
            if nominee.status == "accepted" and nominee.user is not by and not {vault.owner, by} & nominee.user.blocked:
                self.tell(nominee.user, type, title, body, {"vault_id": vault.id} | ({} if by is None else {"user_id": by.id}), at)

    def tell_owner(self, vault, type, title, body, by, at):
        if by is not None and by is not vault.owner and by not in vault.owner.blocked and not self.is_opened_often(vault, at):
            self.tell(vault.owner, type, title, body, {"vault_id": vault.id, "user_id": by.id}, at)

    def tell_of_change(self, nominee):
        user, vault = nominee.user, nominee.vault
        if user is None or vault.owner in user.blocked:
            return
        told = [told for told in user.told if told.type == "nominee_changed" and told.data["nominee_id"] == nominee.id and told.at >= self.now - HOUR]
        if len(told) < 20:
            self.tell(user, "nominee_changed", "Access Changed", f"{vault.owner.name} changed your access to {vault.name}.", {"vault_id": vault.id, "nominee_id": nominee.id, "user_id": vault.owner.id})

    # Nominees

    def invite(self, person, vault, name, level):
        if self.manage(person, vault) != "owner" and level == "full":
            self.refuse("forbidden")
        nominee = Nominee(vault, name, level, self.now, person, [Invitation(self.now, self.now + 7 * DAY)])
        vault.nominees.append(nominee)
        return nominee

    def held(self, person, nominee):
        if self.manage(person, nominee.vault) != "owner" and nominee.level == "full":
            self.refuse("forbidden")

    def require_owner_for_emergency(self, person, nominee):
        if person is not nominee.vault.owner and self.carries_emergency(nominee):
            self.refuse("forbidden")

    def resend(self, person, nominee):
        self.held(person, nominee)
        self.require_owner_for_emergency(person, nominee)
        if nominee.needs_confirmation or nominee.user is not None or nominee.status == "revoked":
            self.refuse("invalid_transition")
        since = max(self.now - DAY, nominee.invited_at)
        if sum(invitation.created_at > since for invitation in nominee.invitations) >= 5:
            self.refuse("too_many_requests")
        self.end_invitations(nominee, "resent")
        nominee.invited_by = person
        nominee.invitations.append(Invitation(self.now, self.now + 7 * DAY))
        return nominee

    def end_invitations(self, nominee, reason):
        for invitation in nominee.invitations:
            invitation.end_reason = invitation.end_reason or reason

    def state(self, nominee, invitation):
        if invitation.end_reason == "declined":
            return "declined"
        if nominee.status == "revoked" or nominee.vault.deleted_at is not None or invitation.end_reason in ("revoked", "vault_deleted"):
            return "revoked"
        if invitation.end_reason == "accepted":
            return "accepted"
        return "expired" if invitation.expires_at <= self.now else "pending"

    def find(self, person, token):
        for vault in self.vaults:
            for nominee in vault.nominees:
                for invitation in nominee.invitations:
                    if invitation.token == token and invitation.end_reason != "resent" and vault.owner.tenant == person.tenant:
                        return nominee, invitation
        self.refuse("invitation_invalid")

    def require_answerable(self, person, nominee, state):
        if state != "pending":
            self.refuse({"expired": "invitation_expired", "revoked": "invitation_invalid"}.get(state, "invitation_used"))
        if nominee.vault.owner is person or any(other.user is person and other.status != "revoked" for other in nominee.vault.nominees):
            self.refuse("conflict")

    def accept(self, person, token):
        nominee, invitation = self.find(person, token)
        vault, state = nominee.vault, self.state(nominee, invitation)
        if state == "accepted" and nominee.user is person:
            return nominee
        if person in vault.owner.blocked or vault.owner in person.blocked:
            self.refuse("invitation_invalid")
        self.require_answerable(person, nominee, state)
        may_let_in = nominee.invited_by is vault.owner or any(
            other.user is nominee.invited_by and other.status == "accepted" and other.level == "full" for other in vault.nominees
        )
        nominee.user, nominee.needs_confirmation = person, vault.require_confirmation or not may_let_in
        nominee.bound_at, nominee.bound_by_link = self.now, True
        if not nominee.needs_confirmation:
            nominee.status = "accepted"
            nominee.accepted_at = nominee.accepted_at or self.now
            if nominee.invited_by is vault.owner or nominee in self.rights:
                self.return_to_quorum(nominee)
        self.end_invitations(nominee, "accepted")
        sleeps = " They have no emergency access until you confirm that it is them." if self.awaits_owner(nominee) else ""
        self.tell(vault.owner, "nominee_accepted", "Invitation Accepted", f"{person.name} accepted your invitation to {vault.name}.{sleeps}", {"vault_id": vault.id, "nominee_id": nominee.id, "user_id": person.id})
        return nominee

    def decline(self, person, token):
        nominee, invitation = self.find(person, token)
        state = self.state(nominee, invitation)
        if state == "declined":
            return
        self.require_answerable(person, nominee, state)
        self.end_nominee(person, nominee, "declined")
        vault = nominee.vault
        self.tell(vault.owner, "nominee_declined", "Invitation Declined", f"{nominee.name} declined your invitation to {vault.name}.", {"vault_id": vault.id, "nominee_id": nominee.id})

    def end_nominee(self, person, nominee, reason):
        if nominee.status == "revoked":
            return
        nominee.status, nominee.needs_confirmation, nominee.revoke_reason = "revoked", False, reason
        nominee.revoked_at = self.now
        self.end_requests_of(nominee, "left" if reason == "left" else "revoked")
        self.rights.pop(nominee, None)
        self.end_invitations(nominee, "declined" if reason == "declined" else "revoked")
        self.lock_session_of(nominee, "manual" if reason == "left" else "owner_revoked", person)
        if nominee.user is not None and nominee.user is not person:
            self.tell(nominee.user, "nominee_revoked", "Access Ended", f"Your access to {nominee.vault.name} has ended.", {"vault_id": nominee.vault.id, "nominee_id": nominee.id})

    def lock_session_of(self, nominee, reason, by):
        """A session does not outlast the access of the nominee who opened it (V01)."""
        for session in nominee.vault.sessions:
            if session.locked_at is None and nominee.user is not None and session.unlocked_by is nominee.user:
                self.end_session(nominee.vault, session, reason, by, self.now)

    def revoke(self, person, nominee):
        if nominee.user is person and nominee.status != "revoked":
            if nominee.vault.deleted_at is not None:
                self.refuse("not_found")
            self.end_nominee(person, nominee, "left")
            vault = nominee.vault
            self.tell(vault.owner, "nominee_revoked", "Access Ended", f"{person.name} no longer has access to {vault.name}.", {"vault_id": vault.id, "nominee_id": nominee.id, "user_id": person.id, "to": "owner"})
            return
        self.held(person, nominee)
        self.require_owner_for_emergency(person, nominee)
        self.end_nominee(person, nominee, "removed")

    def change_nominee(self, person, nominee, status, level):
        self.require_owner(person, nominee.vault)
        if nominee.status == "revoked" or status not in (None, nominee.status) and nominee.status == "pending":
            self.refuse("invalid_transition")
        changed = status not in (None, nominee.status) or level not in (None, nominee.level)
        if status == "inactive" and nominee.status != "inactive":
            nominee.status = status
            self.end_requests_of(nominee, "inactive")
            self.lock_session_of(nominee, "owner_revoked", person)
        nominee.status, nominee.level = status or nominee.status, level or nominee.level
        if changed:
            self.tell_of_change(nominee)
        return nominee

    def confirm(self, person, nominee):
        self.require_owner(person, nominee.vault)
        if nominee.needs_confirmation:
            nominee.status, nominee.needs_confirmation, nominee.accepted_at = "accepted", False, self.now
            nominee.bound_by_link = False
            self.return_to_quorum(nominee)
            self.tell_of_change(nominee)
        elif nominee.bound_by_link and nominee.status in ("accepted", "inactive"):
            nominee.bound_by_link = False
            self.return_to_quorum(nominee)
        elif nominee.status not in ("accepted", "inactive") or nominee.user is None:
            self.refuse("invalid_transition")
        return nominee

    # What a person sees

    def vault_json(self, person, vault):
        own = vault.owner is person
        nominee = None if own else self.nominee_of(person, vault)
        session = self.session_of(person, vault) if own or nominee.status == "accepted" else None
        is_managed = own or nominee.status == "accepted" and nominee.level == "full" and self.open_session(vault) is not None
        statuses = [self.nominee_status(other, self.open_session(vault) or self.emergency_session(other)) for other in vault.nominees]
        return {
            "id": vault.id,
            "name": vault.name,
            "role": "owner" if own else "nominee",
            "access_level": "full" if own else self.level_of(nominee),
            "status": None if own else self.nominee_status(nominee, session),
            "owner": {"id": vault.owner.id, "display_name": vault.owner.name},
            "require_confirmation": vault.require_confirmation,
            "full_may_open": vault.full_may_open,
            "nominee_id": None if own else nominee.id,
            "session": session and self.session_json(person, vault, session, is_managed),
            "counts": {"nominees": {status: statuses.count(status) for status in ("pending", "accepted", "active", "inactive")} if is_managed else None},
            "created_at": text(vault.created_at),
            "updated_at": text(vault.updated_at),
            "deleted_at": text(vault.deleted_at),
        }

    def session_json(self, person, vault, session, is_managed):
        seen = [] if session.locked_at else [
            other for other in session.inside
            if (is_managed or other in (person, vault.owner, session.unlocked_by))
            and (other is vault.owner or any(nominee.user is other and nominee.status == "accepted" for nominee in vault.nominees))
        ]
        return {
            "id": session.id,
            "vault_id": vault.id,
            "kind": "shared" if session.request is None else "emergency",
            "request_id": session.request and session.request.id,
            "unlocked_by": session.unlocked_by.id,
            "opened_at": text(session.opened_at),
            "expires_at": text(session.expires_at),
            "latest_expires_at": text(session.maximum_at),
            "inside": [{"id": other.id, "display_name": other.name} for other in seen],
            "locked_at": text(session.locked_at),
            "locked_by": session.locked_by and session.locked_by.id,
            "lock_reason": session.lock_reason,
        }

    def nominee_status(self, nominee, session):
        return "active" if nominee.status == "accepted" and session is not None else nominee.status

    def nominee_json(self, nominee, person=None):
        session = self.open_session(nominee.vault) or self.emergency_session(nominee)
        shown = {}
        if person is nominee.vault.owner:
            shown = {
                "emergency": self.rights[nominee].json() if nominee in self.rights else None,
                "needs_confirmation": nominee.needs_confirmation or self.awaits_owner(nominee),
            }
        is_active = nominee.status == "accepted" and session is not None
        live = [invitation for invitation in nominee.invitations if invitation.end_reason is None and nominee.user is None]
        return {
            "id": nominee.id,
            "name": nominee.name,
            "user_id": nominee.user and nominee.user.id,
            "status": self.nominee_status(nominee, session),
            "access_level": nominee.level,
            "needs_confirmation": nominee.needs_confirmation,
            "invited_at": text(nominee.invited_at),
            "invited_by_user_id": nominee.invited_by.id,
            "accepted_at": text(nominee.accepted_at),
            "is_currently_active": is_active,
            "current_session_id": session.id if is_active else None,
            "last_active_at": text(nominee.last_active_at),
            "revoke_reason": nominee.revoke_reason,
            "invitation_expires_at": text(live[-1].expires_at) if live else None,
        } | shown

    def vaults_of(self, person, deleted=False):
        if deleted:
            seen = [vault for vault in self.vaults if vault.owner is person and vault.deleted_at and vault.deleted_at > self.now - 30 * DAY]
        else:
            seen = [
                vault for vault in self.vaults
                if vault.deleted_at is None and (vault.owner is person or any(nominee.user is person and nominee.status != "revoked" for nominee in vault.nominees))
            ]
        return [self.vault_json(person, vault) for vault in seen]

    def nominees_seen(self, person, vault):
        is_managed = self.may_manage(person, vault)
        return [self.nominee_json(nominee, person) for nominee in vault.nominees if nominee.status != "revoked" and (is_managed or nominee.user is person)]
