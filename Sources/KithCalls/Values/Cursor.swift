extension Kith {
    /// The place in a list where its next page begins. Only the server knows what it means.
    public struct Cursor: RawRepresentable, Codable, Sendable, Hashable {
        /// The text of the API.
        public let rawValue: String

        /// Creates a cursor from the text of the API.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// One page of a list.
    public protocol Page<Item>: Sendable {
        /// An element of the list.
        associatedtype Item: Sendable
        /// The elements of the page.
        var items: [Item] { get }
        /// The place where the next page begins; nil on the last page.
        var nextCursor: Cursor? { get }
    }
}

extension Kith.Cursor: CustomStringConvertible {
    /// The text of the API.
    public var description: String { rawValue }
}
