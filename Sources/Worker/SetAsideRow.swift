internal import Foundation
internal import Logging

/// A row that a loop could not process, as `worker.report_set_aside` returns it. The loop went on with all others.
struct SetAsideRow: Codable, Equatable {
    let loop: String
    /// The tenant's slug; empty if the row belongs to the installation.
    let tenant: String
    let key: String
    let sqlstate: String
    let place: String
    let tries: Int
    let retry_at: String

    /// Reads the answer of the procedure; nil means that there is none.
    static func read(_ answer: [UInt8]?) -> [SetAsideRow] {
        answer.flatMap { try? JSONDecoder().decode([SetAsideRow].self, from: Data($0)) } ?? []
    }

    func log() {
        Log.error(
            "a row was set aside: \(sqlstate) in \(place)",
            ["loop": loop, "tenant": tenant, "id": key, "tries": "\(tries)", "retry_at": retry_at])
    }
}
