internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// A call with which a provider forwards an answer. It has been checked that the provider has signed it.
struct InboundCall {
    /// The largest body in bytes. A text message of ten segments takes 2 KiB as a form.
    static let maximumBody = 16 << 10

    let tenantID: Int
    let settings: InboundSettings
    let values: InboundValues
    /// See ``InboundSettings/textOfManyForms(_:)``.
    private let signedText: String?

    /// Checks a call to the address of a channel: its size was checked before, then its address, its signature, its
    /// rate and its form.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown address, `unauthenticated` for a call that the provider has not
    ///   signed within the last five minutes, `too_many_requests`, `unsupported_media_type` for a body that is neither
    ///   a form nor JSON, and `invalid_request` for a form without a field and for JSON that is no object.
    init(_ request: ResourceRequest, _ services: Services, channel: String) async throws(Problem) {
        let http = request.http
        guard let address = InboundChannels.Address(request.path[0], channel: channel) else {
            try services.shared.rates.admitUnsigned(http)
            throw Problem(.notFound)
        }
        let settings: InboundSettings?
        if let known = services.inbound.known(address, at: http.receivedAt) {
            settings = known
        } else {
            // A limit applies to clients that guess addresses. It is not that of strangers, who may share an address
            // with the provider, nor does it apply to an address that was there half a minute ago.
            if !services.inbound.wasThere(address) { try services.shared.rates.admitLookUp(http) }
            settings = try await services.inbound.settings(of: address, at: http.receivedAt, request: http.id)
        }
        guard let settings else {
            try services.shared.rates.admitUnsigned(http)
            throw Problem(.notFound)
        }
        let isJSON = http.header("Content-Type").map { $0.lowercased().hasPrefix(MediaType.json.rawValue) } ?? false
        let form = isJSON ? [] : http.form.filter(\.isUTF8).map { (name: $0.name, value: $0.value) }
        let signed = InboundRequest(
            url: services.publicURL + http.path + (http.queryText.isEmpty ? "" : "?\(http.queryText)"), body: http.body,
            form: form, header: { http.header($0) })
        guard settings.isSigned(signed, at: Int(http.receivedAt / 1_000_000)) else {
            try services.shared.rates.admitUnsigned(http)
            throw Problem(
                .unauthenticated, "This call is not signed by the provider, or its time is not of the last 5 minutes.")
        }
        try services.shared.rates.admitInbound(address.token, at: http)
        if !isJSON { try RequestBody.checkType(of: http, is: .form) }
        guard let values = isJSON ? InboundValues(json: http.body) : form.isEmpty ? nil : InboundValues(form: form)
        else {
            throw Problem(.invalidRequest, "The body must be a form or a JSON object.")
        }
        tenantID = address.tenantID
        self.settings = settings
        self.values = values
        signedText = settings.textOfManyForms(signed)
    }

    /// The value of a field; nil if it is missing or empty.
    subscript(field: InboundSettings.Field) -> String? {
        values.value(at: settings.name(of: field)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The id that the provider gave its message or call. Without it, a recorded call could count again and again.
    ///
    /// - Throws: ``Problem`` `invalid_request` if it is missing.
    var id: String {
        get throws(Problem) {
            guard let id = self[.id] else {
                throw Problem(.invalidRequest, "The field \(settings.name(of: .id)) with the id is missing.")
            }
            return id
        }
    }

    /// The hashes by which a repeat of the provider's message is known, as an array of PostgreSQL.
    ///
    /// - Throws: ``Problem`` `invalid_request` if the message has no id.
    var hashes: PostgresValue {
        get throws(Problem) { Self.array([try id] + (signedText.map { ["signed\n\($0)"] } ?? [])) }
    }

    /// The SHA-256 of texts, as an array of PostgreSQL.
    static func array(_ texts: [String]) -> PostgresValue {
        .array(texts.map { "\\x" + Hex.encode(sha256($0.utf8)) })
    }
}
