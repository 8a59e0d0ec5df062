import Counterparts
import EventLoop
import Foundation
import NetworkAddresses

@testable import Delivery

/// The servers that these tests share, and a certificate for them.
enum Servers {
    static let certificate = Result { try Certificate() }
    static let sink = Result { try Counterpart("sink", ["--certificate", certificate.get().pathWithKey]) }

    /// The address of `path` on the sink.
    static func sink(_ path: String) throws -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":;"))
        let encoded = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return "https://127.0.0.1:\(try sink.get().port)\(encoded)"
    }

    /// Rules that allow these servers.
    static var rules: OutboundRules {
        get throws {
            OutboundRules(
                allowed: [AddressBlock("127.0.0.0/8")].compactMap { $0 }, certificates: try certificate.get().path)
        }
    }
}

/// Runs `body` with a client, on a loop of its own.
func withTransfers<Value: Sendable>(
    _ rules: OutboundRules? = nil, clock: WallClock = .machine,
    _ body: @escaping @Sendable (Transfers) async throws -> Value
) async throws -> Value {
    let rules = try rules ?? Servers.rules
    let loop = await runningLoop(clock)
    defer { loop.stop() }
    return try await Task(executorPreference: loop) {
        let transfers = Transfers(loop: loop, rules: rules)
        defer { transfers.close() }
        return try await body(transfers)
    }.value
}

/// An event loop that runs on a thread of its own. The function returns it from within its run, because a loop that has
/// not begun still belongs to the thread that made it.
private func runningLoop(_ clock: WallClock) async -> EventLoop {
    await withCheckedContinuation { continuation in
        Thread {
            guard let loop = try? EventLoop(clock: clock) else { preconditionFailure("no descriptors left") }
            loop.execute { continuation.resume(returning: loop) }
            loop.run()
        }.start()
    }
}
