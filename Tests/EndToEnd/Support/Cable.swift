import Foundation
import Glibc
import Synchronization

/// A network between browsers and a server that can be cut. It passes everything on as it arrives, streams too.
final class Cable: Sendable {
    /// The address that browsers are given.
    var url: URL { listener.url }
    private let listener: LoopbackListener
    private let wire: Wire

    /// Listens on a port of its own.
    init(before client: APIClient) throws {
        let wire = Wire(client.base)
        self.wire = wire
        listener = try LoopbackListener { wire.connect($0) }
    }

    /// Ends all connections, and lets no other begin.
    func cut() {
        wire.state.withLock { state in
            state.isCut = true
            for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) }
        }
    }

    /// Lets connections begin again.
    func mend() { wire.state.withLock { $0.isCut = false } }

    /// How many requests have had this method and path, such as `POST /today`.
    func count(_ request: String) -> Int {
        wire.state.withLock { $0.requests.filter { $0.hasPrefix("\(request) ") }.count }
    }
}

/// The connections of a cable.
private final class Wire: Sendable {
    let state = Mutex(State())
    private let server: URL

    struct State {
        var isCut = false
        /// The open connections, of both sides.
        var ends: Set<Int32> = []
        var requests: [String] = []
    }

    init(_ server: URL) {
        self.server = server
    }

    func connect(_ client: Int32) {
        guard let server = LoopbackListener.connect(to: server) else {
            close(client)
            return
        }
        let isUsed = state.withLock { state in
            guard !state.isCut else { return false }
            state.ends.formUnion([client, server])
            return true
        }
        guard isUsed else {
            close(client)
            close(server)
            return
        }
        let pair = Pair()
        for (from, to) in [(client, server), (server, client)] {
            Thread.detachNewThread { [self] in
                pass(from, to, isRequest: from == client)
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                // The one that ends last closes both, so that no number is used again before.
                guard pair.leave() else { return }
                state.withLock { $0.ends.subtract([client, server]) }
                close(client)
                close(server)
            }
        }
    }

    /// The two directions of a connection.
    private final class Pair: Sendable {
        private let open = Mutex(2)

        /// Whether this was the last.
        func leave() -> Bool {
            open.withLock { open in
                open -= 1
                return open == 0
            }
        }
    }

    private func pass(_ from: Int32, _ to: Int32, isRequest: Bool) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            if isRequest {
                let line = String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
                if line.hasSuffix(" HTTP/1.1") { state.withLock { $0.requests.append(line) } }
            }
            guard LoopbackListener.send(buffer[..<count], to: to) else { return }
        }
    }
}
