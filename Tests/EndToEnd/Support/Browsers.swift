import Counterparts
import Foundation
import Testing

/// A stand-in for a push service, and a browser that subscribes with it.
struct Browsers {
    let server: Counterpart
    /// The browser's keys for the encryption of its pushes.
    let keys: String

    init(_ certificate: Certificate) throws {
        server = try Counterpart("web_push", ["--certificate", certificate.pathWithKey])
        var first: [String: Any]?
        while first == nil { first = try server.log.first }
        let (point, secret) = (first?["p256dh"] as? String, first?["auth"] as? String)
        keys = #"{"p256dh":"\#(try #require(point))","auth":"\#(try #require(secret))"}"#
    }

    /// The endpoint of a subscription made with an application server's public key.
    func endpoint(_ publicKey: String) -> String {
        "https://127.0.0.1:\(server.port)/push/\(publicKey)/"
    }

    /// The messages that have arrived.
    var messages: [[String: Any]] {
        get throws { try Array(server.log.dropFirst()) }
    }
}
