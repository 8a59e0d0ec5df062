public import Foundation

/// The result of one line of an import of users.
public struct ImportResult: Codable, Sendable {
    /// The line of the request, from 1.
    public var line: Int
    /// The HTTP status that this user alone would have had: 201 for a new user, 200 for an existing one.
    public var status: Int
    /// The user's id, if the user exists now.
    public var id: UUID?
    /// The problem, if the line failed.
    public var problem: Problem?
}
