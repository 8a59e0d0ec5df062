import Foundation
import KithClient

/// The calls of KithClient and KithServer, made with the requests that the API's description shows.
enum LibraryCall {
    /// The operation that answers only under the host of a tenant's links, which the server of a test does not have: it
    /// refuses the call with `not_found`.
    static let underOtherHost = "getAppSiteAssociation"

    /// Makes the call of an operation with the functions of KithClient that are written by hand.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - kith: The client of the person with the call's token.
    ///   - server: The server's address.
    /// - Returns: Whether there are such functions.
    /// - Throws: What they throw.
    static func makeByHand(_ call: DocumentedCall, by kith: Kith, of server: URL) async throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-call-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        switch call.operation.id {
        case "streamEvents":
            // The stream begins at some moment. A change after it is its first event.
            let changes = Task {
                for number in 1... {
                    _ = try await kith.api.updateMe(.init(displayName: .set("Alice \(number)")))
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            defer { changes.cancel() }
            return try await kith.events().first { _ in true } != nil
        case "downloadDocument":
            try await kith.vaults[call.id(of: "id")].documents.download(call.id(of: "doc"), to: file)
        case "exportMe":
            try await kith.exportAccount(to: file)
        case "checkIn":
            for await state in try await kith.checkIn(note: "All well", shareNote: true).states {
                if case .received = state { return true }
            }
            return false
        case "openVault":
            return try await kith.vaults[call.id(of: "id")].open().vaultID == call.id(of: "id")
        case "lockVault":
            return try await kith.vaults[call.id(of: "id")].lock().vaultID == call.id(of: "id")
        case "signOut":
            // A plain sign-out leaves a token of the tenant's own server as it is.
            try kith.signOutEverywhere()
            // The server is told while the app goes on.
            for _ in 0..<1000 {
                if await !isSignedIn(call, at: server) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        default: return false
        }
        return try !Data(contentsOf: file).isEmpty
    }

    /// Whether the server accepts the token of a call.
    private static func isSignedIn(_ call: DocumentedCall, at server: URL) async -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-call-\(UUID().uuidString)/file")
        let other = Kith(server: server, tenant: "acme", storage: .file(file))
        return (try? await other.signIn(token: call.credential ?? "")) != nil
    }
}

/// A part of a request that its example or its preparation lacks.
struct MissingPart: Error, CustomStringConvertible {
    let name: String

    var description: String { "the request has no \(name)" }
}

extension DocumentedCall {
    /// The body.
    var json: JSON { body ?? .object([:]) }

    /// A parameter of the path or the query.
    func text(of name: String) throws -> String {
        guard let text = path[name] ?? query[name] else { throw MissingPart(name: name) }
        return text
    }

    /// A parameter that is an id.
    func id(of name: String) throws -> UUID {
        guard let id = UUID(uuidString: try text(of: name)) else { throw MissingPart(name: name) }
        return id
    }

    /// A parameter that is a whole number.
    func number(of name: String) throws -> Int {
        guard let number = Int(try text(of: name)) else { throw MissingPart(name: name) }
        return number
    }
}

/// The members of a JSON object, as arguments of the initializer of a request.
struct RequestMembers {
    private let object: JSON

    init(_ object: JSON) { self.object = object }

    static func read<Value: Decodable>(_ json: JSON) throws -> Value {
        try Kith.decoder().decode(Value.self, from: Data(try json.text.utf8))
    }

    func value<Value: Decodable>(_ name: String) throws -> Value { try value(name) { try Self.read($0) } }

    func value<Value>(_ name: String, _ read: (JSON) throws -> Value) throws -> Value {
        guard let json = object[name] else { throw MissingPart(name: name) }
        return try read(json)
    }

    func optional<Value: Decodable>(_ name: String) throws -> Value? { try optional(name) { try Self.read($0) } }

    func optional<Value>(_ name: String, _ read: (JSON) throws -> Value) throws -> Value? {
        guard let json = object[name], json != .null else { return nil }
        return try read(json)
    }

    func change<Value: Codable & Sendable & Hashable>(_ name: String) throws -> Kith.Change<Value> {
        try change(name) { try Self.read($0) }
    }

    func change<Value: Encodable & Sendable & Hashable>(
        _ name: String, _ read: (JSON) throws -> Value
    ) throws -> Kith.Change<Value> {
        guard let json = object[name] else { return .unchanged }
        return json == .null ? .clear : .set(try read(json))
    }
}
