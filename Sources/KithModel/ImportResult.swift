public import Foundation

/// The result of one line of an import.
public struct ImportResult: Codable, Sendable {
    /// The line of the request, from 1.
    public var line: Int
    /// The HTTP status that this line alone would have had: 201 for a new thing, 200 for one that exists.
    public var status: Int
    /// The id of what the line describes, if it exists now; for a code and a subscription, the user's.
    public var id: UUID?
    /// The problem, if the line failed.
    public var problem: Problem?
}
