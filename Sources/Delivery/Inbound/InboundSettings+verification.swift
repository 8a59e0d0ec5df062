internal import Crypto
internal import Foundation

/// A call of a provider, as far as its signature covers it.
public struct InboundRequest {
    /// The URL to which the provider sent the call, with the query.
    public let url: String
    /// The body as it arrived.
    public let body: [UInt8]
    /// The fields of a form; empty for JSON.
    public let form: [(name: String, value: String)]
    /// The values of headers.
    public let header: (String) -> String?

    /// Creates a call from its parts.
    public init(
        url: String, body: [UInt8], form: [(name: String, value: String)], header: @escaping (String) -> String?
    ) {
        self.url = url
        self.body = body
        self.form = form
        self.header = header
    }
}

extension InboundSettings {
    /// By how many seconds a timestamp may differ from our clock.
    static let tolerance = 300

    /// Whether the provider has signed `request`. `now` is in seconds since 1970.
    public func isSigned(_ request: InboundRequest, at now: Int) -> Bool {
        guard var given = request.header(signatureHeader), !given.isEmpty else { return false }
        switch signature {
        case .bearer:
            if signatureHeader.lowercased() == "authorization" {
                guard given.lowercased().hasPrefix("bearer ") else { return false }
                given = String(given.dropFirst(7))
            }
            return Self.isEqual(Array(given.utf8), Array(secret.utf8))
        case .hmacSHA256:
            if given.hasPrefix("sha256=") { given = String(given.dropFirst(7)) }
            guard let code = Hex.decode(given.lowercased()), let message = signedBody(request, at: now) else {
                return false
            }
            return isCode(code, .sha256, of: message)
        case .twilio:
            // The signature covers the fields of a form, and nothing of another body.
            guard !request.form.isEmpty, let code = Data(base64Encoded: given) else { return false }
            return isCode(Array(code), .sha1, of: Array(Self.twilioText(request).utf8))
        }
    }

    /// What the provider has signed, if the fields of `request` do not follow from it alone; otherwise nil.
    ///
    /// Twilio signs names and values one after the other, so that another cut, with another id of the message, has the
    /// same signature. Such a call is known by this text.
    public func textOfManyForms(_ request: InboundRequest) -> String? {
        signature == .twilio ? Self.twilioText(request) : nil
    }

    /// The body, with the timestamp before it if there is one; nil if that is missing or not of these minutes.
    private func signedBody(_ request: InboundRequest, at now: Int) -> [UInt8]? {
        guard let timestampHeader else { return request.body }
        guard let text = request.header(timestampHeader), let time = Int(text),
            (now - Self.tolerance...now + Self.tolerance).contains(time)
        else { return nil }
        return Array("\(text).".utf8) + request.body
    }

    /// What Twilio signs: the URL, then the name and the value of each field in the order of the names
    /// (https://www.twilio.com/docs/usage/security).
    static func twilioText(_ request: InboundRequest) -> String {
        var byName: [String: Set<String>] = [:]
        for (name, value) in request.form { byName[name, default: []].insert(value) }
        let fields = byName.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return request.url
            + fields.map { name, values in values.sorted().map { name + $0 }.joined() }.joined()
    }

    private func isCode(_ code: [UInt8], _ digest: HMACDigest, of message: [UInt8]) -> Bool {
        guard let expected = try? hmac(digest, key: Array(secret.utf8), message: message) else { return false }
        return Self.isEqual(code, expected)
    }

    /// Compares digests, so that the time taken reveals nothing.
    private static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool { sha256(first) == sha256(second) }
}
