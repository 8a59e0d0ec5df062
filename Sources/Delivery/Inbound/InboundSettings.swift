/// How a provider forwards what people answer: how its calls are signed, and the names of their fields. One of the
/// signatures is required.
public struct InboundSettings: Sendable {
    /// How the provider proves that a call is its own.
    enum Signature: String, CaseIterable {
        /// `Authorization: Bearer` with the secret.
        case bearer
        /// The HMAC-SHA256 of the body in hexadecimal.
        case hmacSHA256 = "hmac_sha256"
        /// The base64 of the HMAC-SHA1 of the URL and the form's fields, as Twilio documents it.
        case twilio
    }

    /// The value in a forwarded call that a field has.
    public enum Field: String, Sendable, CaseIterable {
        case from, text, id
        case key
        case answeredBy = "answered_by"
        case status

        /// The name of the field at Twilio, which is the default.
        fileprivate func standard(on channel: String) -> String {
            switch self {
            case .from: "From"
            case .text: "Body"
            case .id: channel == "sms" ? "MessageSid" : "CallSid"
            case .key: "Digits"
            case .answeredBy: "AnsweredBy"
            case .status: "CallStatus"
            }
        }

        fileprivate static func all(on channel: String) -> [Field] {
            channel == "sms" ? [.from, .text, .id] : [.key, .answeredBy, .status, .id]
        }
    }

    let signature: Signature
    let secret: String
    let signatureHeader: String
    let timestampHeader: String?
    private let fields: [Field: String]
    private let channel: String

    /// Whether the provider expects TwiML in the answer to a call about a phone call.
    public var speaksTwiML: Bool { signature == .twilio }

    /// The name of a field in what the provider forwards. In JSON, it may be a path with dots.
    public func name(of field: Field) -> String { fields[field] ?? field.standard(on: channel) }

    /// Reads the member `inbound` of the settings of `channel`; nil if there is none.
    static func read(_ reader: inout SettingsReader, channel: String) -> InboundSettings? {
        guard var inner = reader.object("inbound") else { return nil }
        let settings = InboundSettings(&inner, channel: channel)
        reader.take(errorsOf: &inner, in: "inbound")
        return settings
    }

    private init(_ reader: inout SettingsReader, channel: String) {
        self.channel = channel
        reader.require("signature")
        signature = reader.choice("signature", .bearer)
        secret = reader.requiredText("secret", atMost: 1000)
        if (1..<16).contains(secret.utf8.count) { reader.refuse("secret", "must have at least 16 bytes") }
        let standard =
            signature == .twilio ? "X-Twilio-Signature" : signature == .bearer ? "Authorization" : "X-Signature"
        signatureHeader = Self.header("signature_header", &reader) ?? standard
        timestampHeader = Self.header("timestamp_header", &reader)
        if timestampHeader != nil, signature != .hmacSHA256 {
            reader.refuse("timestamp_header", "must come with the signature hmac_sha256")
        }
        var fields: [Field: String] = [:]
        for field in Field.all(on: channel) {
            fields[field] = reader.text("\(field.rawValue)_field", atMost: 100) ?? field.standard(on: channel)
        }
        if Set(fields.values).count < fields.count {
            reader.refuse("id_field", "must differ from the other fields, and those from each other")
        }
        self.fields = fields
    }

    /// A header's name (RFC 9110, section 5.6.2).
    private static func header(_ member: String, _ reader: inout SettingsReader) -> String? {
        guard let name = reader.text(member, atMost: 100) else { return nil }
        let isToken = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if !isToken { reader.refuse(member, "must be the name of a header") }
        return name
    }

    /// Writes the settings as the member `inbound`.
    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        var inner = SettingsWriter()
        inner.field("signature", signature.rawValue)
        inner.field("signature_header", signatureHeader)
        inner.field("timestamp_header", timestampHeader)
        for (field, name) in fields { inner.field("\(field.rawValue)_field", name) }
        if withSecrets { inner.field("secret", secret) }
        writer.field("inbound", inner)
    }
}
