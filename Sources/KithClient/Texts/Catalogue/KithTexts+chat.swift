// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “About {vault}. Nobody else reads it.”
    public func chatAbout(vault: String) -> String {
        known("chat.about", ["vault": vault])
    }

    /// “Write something first.”
    public var chatEmpty: String { known("chat.empty") }

    /// “You”
    public var chatMe: String { known("chat.me") }

    /// “There is no message yet.”
    public var chatNone: String { known("chat.none") }

    /// “Read”
    public var chatRead: String { known("chat.read") }

    /// “{name}: {text}”
    public func chatReceived(name: String, text: String) -> String {
        known("chat.received", ["name": name, "text": text])
    }

    /// “Send”
    public var chatSend: String { known("chat.send") }

    /// “Message sent”
    public var chatSent: String { known("chat.sent") }

    /// “Chat with {name}”
    public func chatTitle(name: String) -> String {
        known("chat.title", ["name": name])
    }

    /// “{count} unread messages”
    public func chatUnread(count: Int) -> String {
        known("chat.unread", count: count)
    }
}
