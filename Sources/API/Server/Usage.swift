internal import Foundation
internal import Identity
internal import Requests

/// Counts the requests of each tenant, by secret key or by its users together, until they are reported to the database.
///
/// An event loop has its own, so counting costs a request one look-up in a dictionary and no lock.
public struct Usage: Sendable {
    /// The requests of one caller.
    struct Count: Sendable, Equatable {
        var requests = 0
        /// Answers with a status from 400 to 499.
        var refused = 0
        /// Answers with a status of 500 or higher.
        var faults = 0
        /// Answers that took a second or longer.
        var slow = 0

        static func += (sum: inout Count, other: Count) {
            sum.requests += other.requests
            sum.refused += other.refused
            sum.faults += other.faults
            sum.slow += other.slow
        }
    }

    /// A secret key of a tenant.
    struct Key: Hashable, Sendable {
        let tenant: Int
        let id: String
    }

    /// By tenant.
    private(set) var users: [Int: Count] = [:]
    private(set) var strangers: [Int: Count] = [:]
    private(set) var keys: [Key: Count] = [:]

    var isEmpty: Bool { users.isEmpty && strangers.isEmpty && keys.isEmpty }

    /// Counts an answer.
    mutating func count(_ caller: Caller, status: Int, isSlow: Bool) {
        var one = Count()
        one.requests = 1
        if status >= 500 { one.faults = 1 } else if status >= 400 { one.refused = 1 }
        if isSlow { one.slow = 1 }
        add(one, of: caller)
    }

    private mutating func add(_ count: Count, of caller: Caller) {
        switch caller.kind {
        case .user: users[caller.tenantID, default: Count()] += count
        case .anyone: strangers[caller.tenantID, default: Count()] += count
        case .key(let id, _): keys[Key(tenant: caller.tenantID, id: id), default: Count()] += count
        }
    }

    /// Adds the counts of another loop.
    public static func += (sum: inout Usage, other: Usage) {
        sum.users.merge(other.users) { $0 + $1 }
        sum.strangers.merge(other.strangers) { $0 + $1 }
        sum.keys.merge(other.keys) { $0 + $1 }
    }

    /// The counts as `api.record_usage` takes them: a JSON array.
    var json: [UInt8] {
        func row(_ tenant: Int, _ caller: String, _ count: Count) -> [String: Any] {
            [
                "tenant": tenant, "caller": caller, "requests": count.requests, "refused": count.refused,
                "faults": count.faults, "slow": count.slow,
            ]
        }
        let rows =
            users.map { row($0, "users", $1) } + strangers.map { row($0, "strangers", $1) }
            + keys.map { row($0.tenant, "key:\($0.id)", $1) }
        guard let data = try? JSONSerialization.data(withJSONObject: rows) else {
            preconditionFailure("numbers and texts are JSON")
        }
        return Array(data)
    }
}

extension Usage.Count {
    fileprivate static func + (left: Usage.Count, right: Usage.Count) -> Usage.Count {
        var sum = left
        sum += right
        return sum
    }
}
