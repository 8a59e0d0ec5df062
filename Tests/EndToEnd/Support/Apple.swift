import Counterparts
import Crypto
import Foundation

/// A stand-in for APNs, and the credentials with which acme uses it.
struct Apple {
    let server: Counterpart
    let settings: [String: String]

    init(_ certificate: Certificate) throws {
        let key = try PrivateKey.generate()
        settings = ["team_id": "ACMETEAM01", "key_id": "ACMEKEY001", "topic": "example.app", "private_key": key.pem]
        let pem = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64])).pem
        let known = ["ACMEKEY001": ["team": "ACMETEAM01", "pem": pem, "topics": ["example.app"]] as [String: Any]]
        let keys = String(decoding: try JSONSerialization.data(withJSONObject: known), as: UTF8.self)
        server = try Counterpart("apns", ["--certificate", certificate.pathWithKey, "--keys", keys])
    }

    var environment: [String: String] { ["KITH_APNS_URL": "https://localhost:\(server.port)"] }

    /// A device token for which pushes are answered as `script` says.
    static func device(_ script: String) -> String { Hex.encode(Array(script.utf8)) }
}
