public import Foundation

/// Checks and reads the requests that Kith makes to a webhook of a tenant's server (Standard Webhooks 1.0).
///
/// ```swift
/// let webhook = try KithWebhook(secrets: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])
/// func receive(_ body: Data, _ headers: [String: String]) throws -> [Kith.WebhookEvent] {
///     try webhook.batch(in: body) { headers[$0] }.data.events
/// }
/// ```
///
/// Answer a request that throws with 400, and each other one with 2xx within 5 seconds, since Kith repeats a request
/// without such an answer. A repeat has the same `webhook-id`, see ``id(header:)``. A 2xx answer takes the event
/// `alarm_undelivered` over: nobody else is told then.
public struct KithWebhook: Sendable {
    /// Why a request is not taken, or a secret not used.
    public enum Failure: Error, Sendable, Hashable {
        /// A secret is not in the form of a webhook's: `whsec_`, and 24 to 64 bytes in Base64.
        case malformedSecret
        /// The request lacks this header field, or it cannot be read.
        case missingHeader(String)
        /// No signature of the request is by one of the secrets. It does not come from Kith, or has been changed.
        case wrongSignature
        /// The request was signed so many seconds ago; a negative number if its time is ahead. It may be an old one
        /// that somebody sends again, or this machine's clock is wrong.
        case wrongTime(TimeInterval)
        /// Kith has signed the request, but this library cannot read its body.
        case unreadable
    }

    private static let prefix = "whsec_"

    private let keys: [[UInt8]]
    private let tolerance: TimeInterval

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - secrets: The secrets that a request may be signed with: the endpoint's, and while it is being replaced, the
    ///     old one as well. For a day after a rotation Kith signs with both.
    ///   - tolerance: By how many seconds the time of a request may differ from this machine's.
    /// - Throws: ``Failure/malformedSecret``.
    public init(secrets: [String], tolerance: TimeInterval = 300) throws(Failure) {
        var keys: [[UInt8]] = []
        for secret in secrets {
            guard secret.hasPrefix(Self.prefix),
                let key = Data(base64Encoded: String(secret.dropFirst(Self.prefix.count))),
                (24...64).contains(key.count)
            else { throw .malformedSecret }
            keys.append(Array(key))
        }
        if keys.isEmpty { throw .malformedSecret }
        self.keys = keys
        self.tolerance = tolerance
    }

    /// The events of a request, if it comes from Kith.
    ///
    /// - Parameters:
    ///   - body: The body, as it has arrived: a text that was read and written again has another signature.
    ///   - now: This machine's time.
    ///   - header: Gives the value of a header field by its lower-case name; nil if the request does not have it.
    /// - Throws: ``Failure``.
    /// - Returns: The batch. Events of a type that this library does not know are `unknown`; ignore them.
    public func batch(
        in body: Data, at now: Date = Date(), header: (_ name: String) -> String?
    ) throws(Failure) -> Kith.WebhookBatch {
        try check(body, at: now, header: header)
        do {
            return try Kith.decoder().decode(Kith.WebhookBatch.self, from: body)
        } catch {
            throw .unreadable
        }
    }

    /// Checks that a request comes from Kith, and is not an old one that somebody sends again.
    ///
    /// - Parameters:
    ///   - body: The body, as it has arrived.
    ///   - now: This machine's time.
    ///   - header: Gives the value of a header field by its lower-case name; nil if the request does not have it.
    /// - Throws: ``Failure``.
    public func check(
        _ body: Data, at now: Date = Date(), header: (_ name: String) -> String?
    ) throws(Failure) {
        let id = try id(header: header)
        let sent = try Self.value(of: "webhook-timestamp", header)
        guard let seconds = Int64(sent) else { throw .missingHeader("webhook-timestamp") }
        let signatures = try Self.value(of: "webhook-signature", header).split(separator: " ").compactMap { signature in
            signature.hasPrefix("v1,") ? Data(base64Encoded: String(signature.dropFirst(3))).map(Array.init) : nil
        }
        let signed = Data("\(id).\(sent).".utf8) + body
        var isSigned = false
        for key in keys {
            let code = HMAC.sha256(signed, key: key)
            for signature in signatures where HMAC.isEqual(signature, code) { isSigned = true }
        }
        guard isSigned else { throw .wrongSignature }
        // Only now, so that a stranger does not learn this machine's time.
        let age = now.timeIntervalSince1970 - TimeInterval(seconds)
        guard abs(age) <= tolerance else { throw .wrongTime(age) }
    }

    /// The id of a request. All tries of a request have the same: keep those that were processed, and ignore a repeat.
    ///
    /// - Parameter header: Gives the value of a header field by its lower-case name; nil if the request does not have
    ///   it.
    /// - Returns: The id.
    /// - Throws: ``Failure/missingHeader(_:)``.
    public func id(header: (_ name: String) -> String?) throws(Failure) -> String {
        try Self.value(of: "webhook-id", header)
    }

    private static func value(of name: String, _ header: (String) -> String?) throws(Failure) -> String {
        guard let value = header(name), !value.isEmpty else { throw .missingHeader(name) }
        return value
    }
}

/// Descriptions and dumps leave the secrets out.
extension KithWebhook: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "KithWebhook" }
    /// A mirror without children, because these have the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
