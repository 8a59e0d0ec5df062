internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Problems
internal import Requests

/// A call with which a provider forwards an answer. It has been checked that the provider has signed it.
struct InboundCall {
    /// The largest body in bytes. A text message of ten segments takes 2 KiB as a form.
    static let maximumBody = 16 << 10

    let tenantID: Int
    let settings: InboundSettings
    let values: InboundValues

    /// Checks a call to the address of a channel: its size was checked before, then its address, its signature, its rate and its form.
    ///
    /// - Throws: ``Problem`` `not_found` for an unknown address, `unauthenticated` for a call that the provider has not signed within the
    ///   last five minutes, `too_many_requests`, `unsupported_media_type` for a body that is neither a form nor JSON, and
    ///   `invalid_request` for a form without a field and for JSON that is no object.
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
            // The limit of any stranger applies to clients that guess addresses.
            try services.shared.rates.admitUnsigned(http)
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
    }

    /// The value of a field; nil if it is missing or empty.
    subscript(field: InboundSettings.Field) -> String? {
        values.value(at: settings.name(of: field)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The hash by which a repeat of the provider's message is known; nil if it has no id.
    func hash(_ parts: String?...) -> [UInt8]? {
        guard let id = self[.id] else { return nil }
        return sha256(([id] + parts.map { $0 ?? "" }).joined(separator: "\n").utf8)
    }
}
