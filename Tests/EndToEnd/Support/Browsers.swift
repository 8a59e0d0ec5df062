import Counterparts
import Foundation
import Testing

/// A push service as the tests have it, and the browser whose subscriptions it has.
struct Browsers {
    let server: Counterpart
    /// What the browser gives for the encryption of its pushes.
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

    /// The messages that have come.
    var messages: [[String: Any]] {
        get throws { try Array(server.log.dropFirst()) }
    }
}
