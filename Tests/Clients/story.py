"""Tells the main story to a running server through the generated Python client, with its types only."""

import datetime
import json
import os
import pkgutil
import importlib
import sys

import kith
from kith import models
from kith.api.account import get_me
from kith.api.connections import create_connection
from kith.api.documents import create_document, download_document, list_documents
from kith.api.nominees import accept_invitation, invite_nominees
from kith.api.notifications import list_notifications
from kith.api.pings import check_in, list_pings
from kith.api.profiles import create_receiver_profile, set_sender_profile
from kith.api.users import create_user, mint_token
from kith.api.vaults import create_vault, open_vault
from kith.types import UNSET, File


def client(credential):
    return kith.AuthenticatedClient(
        base_url=os.environ["KITH_URL"], token=credential, timeout=60, raise_on_unexpected_status=True
    )


server = client(os.environ["KITH_KEY"])


def expect(value, kind):
    """The value, which must have that type."""
    assert isinstance(value, kind), f"expected {kind.__name__}: {value}"
    return value


def refused(answer, status, code):
    """The problem of an answer, which must have that status and that code."""
    problem = expect(answer.parsed, models.Problem)
    assert (answer.status_code, problem.status, problem.code) == (status, status, code), problem
    assert problem.detail and problem.request_id == answer.headers["X-Request-Id"], problem
    return problem


def join(name):
    user = expect(create_user.sync(client=server, body=models.NewUser(display_name=name)), models.User)
    assert user.display_name == name and user.external_id in (None, UNSET), user
    body = models.MintTokenRequest(user_id=user.id)
    token = expect(mint_token.sync(client=server, body=body), models.AccessToken)
    return client(token.access_token)


def pages(operation, kind, **arguments):
    """All items of a list, read one by one."""
    items, cursor = [], UNSET
    while cursor is not None:
        page = expect(operation.sync(limit=1, cursor=cursor, **arguments), kind)
        assert len(page.items) <= 1, page
        items += page.items
        cursor = page.next_cursor
    return items


def pings():
    alice, bob, carol = join("Alice"), join("Bob"), join("Carol")
    body = models.SetSenderProfileRequest(ping_time="11:00", time_zone="UTC", grace_minutes=719, reminder_minutes=15)
    profile = expect(set_sender_profile.sync(client=alice, body=body), models.SenderProfile)
    assert (profile.ping_time, profile.grace_minutes) == ("11:00", 719), profile
    assert isinstance(profile.created_at, datetime.datetime), profile
    for receiver in (bob, carol):
        body = models.CreateReceiverProfileRequest()
        code = expect(create_receiver_profile.sync(client=receiver, body=body), models.ReceiverProfile).code
        body = models.CreateConnectionRequest(code=code)
        made = create_connection.sync_detailed(client=alice, body=body, idempotency_key=code)
        connection = expect(made.parsed, models.Connection)
        assert connection.role is models.Role.SENDER, connection
        assert connection.status is models.ConnectionStatus.ACTIVE, connection
        assert expect(connection.today_ping, models.Ping).status is models.PingStatus.DUE, connection
        again = create_connection.sync_detailed(client=alice, body=body, idempotency_key=code)
        assert again.parsed == connection and again.headers["Idempotent-Replayed"] == "true", again
        refused(
            create_connection.sync_detailed(client=alice, body=body), 409, models.ProblemCode.CONNECTION_EXISTS
        )
    done = expect(check_in.sync(client=alice, body=models.CheckInRequest(note="All well")), models.CheckIn)
    assert (done.completed, done.late, len(done.pings)) == (2, 0, 2), done
    seen = pages(list_pings, models.PingPage, client=alice, role=models.Role.SENDER)
    assert {ping.id for ping in seen} == {ping.id for ping in done.pings}, seen
    assert {ping.status for ping in seen} == {models.PingStatus.COMPLETED}, seen
    assert all(isinstance(ping.date, datetime.date) and ping.completed_at <= ping.deadline_at for ping in seen), seen
    told = pages(list_notifications, models.NotificationPage, client=bob, unread=True)
    assert [notification.type_ for notification in told] == ["ping_completed", "connection_request"], told
    assert told[0].body == "Alice checked in.", told


def vault():
    carol, bob = join("Carol"), join("Bob")
    papers = expect(
        create_vault.sync(client=carol, body=models.CreateVaultRequest(name="Family papers")), models.Vault
    )
    assert (papers.role, papers.session) == (models.VaultRole.OWNER, None), papers
    body = models.InviteNomineesRequest(name="Bob", access_level=models.AccessLevel.EDIT)
    invited = expect(invite_nominees.sync(papers.id, client=carol, body=body), models.NomineeInvitations)
    assert invited.status is models.NomineeStatus.PENDING, invited
    token = expect(invited.invitation, models.TokenInvitation).token
    accepted = expect(accept_invitation.sync(token, client=bob), models.AcceptedInvitation)
    assert accepted.vault.owner.display_name == "Carol", accepted
    assert accepted.kind is models.InvitationKind.NOMINEE, accepted
    assert accepted.access_level is models.AccessLevel.EDIT, accepted
    problem = refused(list_documents.sync_detailed(papers.id, client=bob), 423, models.ProblemCode.VAULT_LOCKED)
    assert not problem.retryable and problem.errors is UNSET, problem
    session = expect(open_vault.sync(papers.id, client=carol), models.VaultSession)
    assert session.vault_id == papers.id and session.lock_reason is None, session
    content = b"Bob has the spare key."
    document = expect(
        create_document.sync(papers.id, client=carol, name="Keys", body=File(payload=content)), models.Document
    )
    assert document.size == len(content), document
    page = expect(list_documents.sync(papers.id, client=bob), models.DocumentPage)
    assert page.items == [document] and page.next_cursor is None, page
    download = expect(download_document.sync(papers.id, document.id, client=bob), File)
    assert download.payload.read() == content


def refusals():
    stranger = join("Mallory")
    body = models.CreateConnectionRequest(code="12345")
    problem = refused(
        create_connection.sync_detailed(client=stranger, body=body), 422, models.ProblemCode.VALIDATION_FAILED
    )
    assert [expect(error, models.FieldError).field for error in problem.errors] == ["code"], problem
    refused(get_me.sync_detailed(client=client("nonsense")), 401, models.ProblemCode.UNAUTHENTICATED)
    refused(get_me.sync_detailed(client=server), 403, models.ProblemCode.FORBIDDEN)


def examples(document):
    """Reads the example of each schema with the generated type, and writes it again."""
    compared = 0
    for name, schema in document["components"]["schemas"].items():
        kind = getattr(models, name, None)
        if kind is None or "enum" in schema:
            continue
        for example in schema["examples"]:
            written = json.dumps(kind.from_dict(example).to_dict(), sort_keys=True)
            expected = json.dumps(example, sort_keys=True)
            assert written.replace("+00:00", "Z") == expected, f"{name}: {written} instead of {expected}"
            compared += 1
    assert compared > 100, compared


for module in pkgutil.walk_packages(kith.__path__, "kith."):
    importlib.import_module(module.name)
pings()
vault()
refusals()
with open(sys.argv[1]) as file:
    examples(json.load(file))
print("told")
