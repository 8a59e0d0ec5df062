import Foundation

/// A response that is no refusal, whose body is read in pieces.
struct StreamedAnswer: Sendable {
    let status: Int
    /// The header fields, by lower-case name.
    let headers: [String: String]
    let body: any EventSource
}
