/// A page of a list.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
    /// The items, in the list's order.
    public var items: [Item]
    /// The `cursor` for the next request; nil on the last page.
    public var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
        case items
        case nextCursor = "next_cursor"
    }
}
