public import Foundation

/// What became of one line of an import of users.
public struct ImportResult: Codable, Sendable {
    /// The line of the request, from 1.
    public var line: Int
    /// The HTTP status that the user would have had alone: 201 for a new one, 200 for one that was there.
    public var status: Int
    /// The user, where it is there now.
    public var id: UUID?
    /// Why not, otherwise.
    public var problem: Problem?
}
