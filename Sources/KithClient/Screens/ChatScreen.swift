public import Foundation
public import Observation

/// The conversation of a vault's owner with one nominee. It needs no open vault.
///
/// Calls: `listMessages`, `sendMessage`, `markMessagesRead`; `streamEvents` while it follows.
@Observable @MainActor public final class ChatScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault.
    public let vault: Kith.VaultName
    /// The nominee who takes part, or the person themselves if they are the nominee.
    public let nominee: UUID
    /// The name of the other side.
    public let name: String
    /// The messages, the newest first.
    public private(set) var messages: [Kith.Message] = []
    /// The number of unread messages to this person.
    public private(set) var unreadCount = 0
    /// The text that the person writes.
    public var draft = ""
    /// Whether there are older messages to load.
    public var hasMore: Bool { next != nil }

    private var next: Kith.Cursor?
    private let me: UUID?
    let calls: ScreenCalls

    /// Creates an empty conversation about `vault` with the person called `name`. Call ``load()`` when it appears.
    public init(
        _ kith: Kith, _ vault: Kith.VaultName, nominee: UUID, with name: String, texts: KithTexts = .preferred()
    ) {
        (calls, me, self.texts) = (ScreenCalls(kith), kith.session?.userID, texts)
        (self.vault, self.nominee, self.name) = (vault, nominee, name)
    }

    /// "Chat with Bob"
    public var title: String { texts.chatTitle(name: name) }

    /// "About Family papers. Nobody else reads it."
    public var about: String { texts.chatAbout(vault: vault.name) }

    /// "2 unread messages"
    public var badgeLabel: String { texts.chatUnread(count: unreadCount) }

    /// The text that a screen shows while there are no messages.
    public var placeholder: String? { messages.isEmpty && state.isLoaded ? texts.chatNone : nil }

    /// Whether the person wrote a message.
    public func isOwn(_ message: Kith.Message) -> Bool { message.from.id == me }

    /// The name beside a message: "You", or that of the other side.
    public func author(of message: Kith.Message) -> String {
        isOwn(message) ? texts.chatMe : message.from.displayName
    }

    /// "Read" under a message of the person's own that the other side has read; else nil.
    public func remark(on message: Kith.Message) -> String? {
        isOwn(message) && message.readAt != nil ? texts.chatRead : nil
    }

    /// Loads the newest messages.
    public func load() async {
        await load {
            try await calls.messages(with: nominee, in: vault.id, after: nil)
        } then: { page in
            (messages, next, unreadCount) = (page.items, page.nextCursor, page.unreadCount)
        }
    }

    /// Loads older messages.
    public func loadMore() async {
        guard let next, !state.isLoading else { return }
        await loadPart {
            try await calls.messages(with: nominee, in: vault.id, after: next)
        } then: { page in
            messages += page.items.filter { item in !messages.contains { $0.id == item.id } }
            (self.next, unreadCount) = (page.nextCursor, page.unreadCount)
        }
    }

    /// Sends the draft. It stays if the message cannot be sent.
    public func send() async {
        let text = draft.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            return state.show(ErrorPresentation(invalid: texts.chatEmpty, texts: texts))
        }
        await act {
            try await calls.send(text, to: nominee, in: vault.id)
        } then: { message in
            insert(message)
            draft = ""
            return texts.chatSent
        }
    }

    /// Marks the messages to the person as read. Call it when they are on the screen. It makes no call if all are read.
    public func markRead() async {
        guard unreadCount > 0 else { return }
        await loadPart {
            try await calls.markMessagesRead(with: nominee, in: vault.id)
        } then: { _ in
            unreadCount = 0
        }
    }

    /// Takes in a message from the stream of events, and announces one of the other side.
    public func apply(_ message: Kith.VaultMessage) {
        guard message.vaultID == vault.id, message.nomineeID == nominee else { return }
        let received = Kith.Message(
            id: message.id, from: message.from, body: message.body, createdAt: message.createdAt,
            readAt: message.readAt)
        guard insert(received), !isOwn(received) else { return }
        if received.readAt == nil { unreadCount += 1 }
        state.announce(texts.chatReceived(name: received.from.displayName, text: received.body))
    }

    /// Takes in that one side has read the messages: this person on another device, or the other side.
    public func apply(_ conversation: Kith.IdentifiedConversation) {
        guard conversation.vault.id == vault.id, conversation.nomineeID == nominee else { return }
        unreadCount = conversation.unreadCount
        // The messages that the other side has read are the newest of them and all before it.
        guard let read = conversation.readUntil, let newest = messages.firstIndex(where: { $0.id == read }) else {
            return
        }
        for index in messages[newest...].indices where isOwn(messages[index]) && messages[index].readAt == nil {
            messages[index].readAt = calls.now
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    /// Puts a message in its place.
    ///
    /// - Returns: Whether it is new.
    @discardableResult private func insert(_ message: Kith.Message) -> Bool {
        if let index = messages.firstIndex(where: { $0.id == message.id }) {
            messages[index] = message
            return false
        }
        // Ids grow with time. An event can come after a newer message.
        let place = messages.firstIndex { $0.id.uuidString < message.id.uuidString } ?? messages.endIndex
        messages.insert(message, at: place)
        return true
    }
}
