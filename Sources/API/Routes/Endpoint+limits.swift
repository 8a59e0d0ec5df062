internal import HTTP

extension Endpoint {
    /// What the body of a call may have that needs no more, and of a call without a body.
    static let usualBody = 16 << 10
    /// What no body has more of unless its endpoint says so.
    private static let largestBody = 1 << 20
    /// How many values a body may have beside those that fit: so that what is too much is named, field by field.
    private static let spareValues = 100

    /// What the body of a request may be: as long as what its schema lets pass can become, where the endpoint does not say otherwise.
    var bodyRule: HTTPBodyRule {
        HTTPBodyRule(
            maximum: maximumBody ?? min(Self.largestBody, max(Self.usualBody, roundedSize)), isStreamed: streamsBody)
    }

    /// How many values a JSON text that is sent may have in it.
    var maximumValues: Int { Self.maximumValues(of: body ?? .object([])) }

    /// The same for one line of a body that has a JSON text a line.
    static func maximumValues(of schema: JSONSchema) -> Int { schema.maximumValues + spareValues }

    /// The longest body that fits, in whole KiB.
    private var roundedSize: Int {
        guard bodyType == .json, let body else { return 0 }
        return (body.maximumSize + 1023) / 1024 * 1024
    }
}
