import Foundation
import KithClient
import Testing

/// The exact words of the screens. Each row is a text that the product fixes; whoever changes one changes what people
/// have agreed on.
@Suite struct `The exact words` {
    @Test(arguments: [
        ("connect.button", "Connect"), ("connect.done", "Connected to {name}"), ("invite.button", "Invite Receivers"),
        ("invite.contacts", "Select Contacts"), ("connection.pause.action", "Pause Connection"),
        ("connection.pause.title", "Pause Connection?"),
        (
            "connection.pause.message",
            """
            Pings will not be generated for this connection until you resume it. {name} will be notified. Until then, \
            {name} is NOT told if you don’t check in.
            """
        ), ("connection.pause.confirm", "Pause"), ("button.cancel", "Cancel"),
        ("connection.resume.action", "Resume Connection"), ("connection.remove.action", "Remove Connection"),
        ("connection.remove.title", "Remove Connection?"),
        (
            "connection.remove.message.sender",
            """
            This will stop sending pings to {name}. They will be notified. You can reconnect later using their code. \
            From now on, {name} is NOT told if you don’t check in.
            """
        ),
        (
            "connection.remove.message.receiver",
            """
            This will remove {name} from your senders list. They will be notified. You can reconnect later if they \
            invite you again. You are no longer told if {name} does not check in.
            """
        ), ("connection.remove.confirm", "Remove"), ("connection.status.active", "Active"),
        ("connection.status.paused", "Paused"), ("nominee.status.pending", "Pending"),
        ("nominee.status.accepted", "Accepted"), ("nominee.status.active", "Active"),
        ("nominee.status.inactive", "Inactive"), ("nominee.status.revoked", "Revoked"),
        ("nominee.meaning.pending", "Invitation sent, not yet accepted"),
        ("nominee.meaning.accepted", "Invitation accepted, waiting for vault to open"),
        ("nominee.meaning.active", "Vault is open, nominee has concurrent access"),
        ("nominee.meaning.inactive", "Temporarily disabled"), ("nominee.meaning.revoked", "Access permanently revoked"),
        ("nominees.title", "Manage Nominees"), ("nominees.path", "Vault Detail → Sharing → Manage Nominees"),
        ("nominees.add", "+"), ("nominees.invite_via_messages", "Invite via Messages"),
        ("nominees.remove", "Remove Nominee"), ("invitee.name", "Recipient name"), ("invitee.phone", "Phone number"),
        ("invitee.email", "Email"), ("invitee.required", "required"), ("invitee.optional", "optional"),
        ("invitee.send", "Send Invitation"), ("access.view", "View"), ("access.edit", "Edit"), ("access.full", "Full"),
        ("invitation.accept", "Accept"), ("invitation.decline", "Decline"), ("check_in.button", "I'm safe"),
        ("vault.locked.nominee", "This vault is locked. You can enter while its owner has it open."),
        ("invitation.needs_confirmation", "The vault's owner has not confirmed your access yet."),
    ])
    func `of the screens are in the catalogue`(key: String, words: String) {
        #expect(KithTexts.english.text(key) == words)
    }

    @Test func `never call safe what is only kept on the device`() {
        for progress in [CheckInProgress.idle, .sending, .kept, .waitsForSignIn, .refused] {
            let words = progress.sentence()?.lowercased() ?? ""
            #expect(!words.contains("safe"), "\(words)")
        }
        #expect(CheckInProgress.kept.sentence()?.contains("do not know") == true)
    }
}
