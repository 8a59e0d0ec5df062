/// The colour of a status. An app maps it to a colour of its design that is readable on its background.
public enum StatusColor: String, Sendable, Hashable, CaseIterable {
    /// Something is awaited, usually yellow or orange.
    case warning
    /// All is well and nothing happens, usually blue.
    case info
    /// All is well, usually green.
    case success
    /// At rest, the colour of secondary text.
    case secondary
    /// Ended or missed, usually red.
    case error
}

/// How a screen shows a status: by its name and a symbol as well as by a colour, since not everybody sees the colour.
public struct StatusBadge: Sendable, Hashable {
    /// The name of the status.
    public let name: String
    /// Its colour.
    public let color: StatusColor
    /// The name of its symbol in SF Symbols.
    public let symbol: String
    /// One sentence that says what the status means; nil if the name says it.
    public let meaning: String?

    init(_ name: String, _ color: StatusColor, _ symbol: String, meaning: String? = nil) {
        (self.name, self.color, self.symbol, self.meaning) = (name, color, symbol, meaning)
    }
}
