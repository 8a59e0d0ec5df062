public import Foundation

/// A tenant's own server, which makes calls with the tenant's secret key: a function for each call of the API that
/// requires one, generated from its description.
///
/// Never put the key into an app: whoever has the app has the key.
///
/// ```swift
/// let server = KithServer(server: URL(string: "https://kith.example.com")!, tenant: "acme", secretKey: key)
/// let user = try await server.createUser(.init(displayName: "Alice"))
/// ```
///
/// A call is sent again where that is safe: if no answer came, or the server asks for another try. All tries of a call
/// that takes an `Idempotency-Key` share one.
public struct KithServer: Sendable {
    let caller: ServerCaller

    /// Creates the caller of a tenant's server. It keeps nothing on the disk.
    ///
    /// - Parameters:
    ///   - server: The address of Kith, such as `https://kith.example.com`.
    ///   - tenant: The tenant's short name. Kith refuses the key of another tenant.
    ///   - secretKey: The key, such as from the environment of the process, and never in an app. A key with few scopes
    ///     makes few calls.
    public init(server: URL, tenant: String, secretKey: String) {
        let transport = HTTPTransport()
        caller = ServerCaller(
            exchange: HTTPExchange(server: server, tenant: tenant, namesTenant: true), key: secretKey,
            send: { try await transport.send($0) })
    }

    /// Creates the caller of a tenant's server whose calls `caller` carries out.
    init(caller: ServerCaller) {
        self.caller = caller
    }
}

/// Descriptions and dumps leave the key out.
extension KithServer: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "KithServer" }
    /// A mirror without children, because these have the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
