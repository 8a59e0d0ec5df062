internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The default size limit of a body in bytes, which also applies to calls without a body.
    static let usualBody = 16 << 10
    /// The largest size limit in bytes that a schema can lead to. An endpoint can set its own.
    private static let largestBody = 1 << 20
    /// The number of values a body may have beyond those that its schema allows, so that validation can name each field
    /// that is too much.
    private static let spareValues = 100

    /// The rule for the request's body. Unless the endpoint sets a maximum, it is the longest text that the schema can
    /// accept.
    var bodyRule: HTTPBodyRule {
        HTTPBodyRule(
            maximum: maximumBody ?? min(Self.largestBody, max(Self.usualBody, roundedSize)), isStreamed: streamsBody,
            isCutOff: isForgiving)
    }

    /// The number of values that the body's JSON text may contain.
    var maximumValues: Int { maximumBodyValues ?? Self.maximumValues(of: body ?? .object([])) }

    /// The number of values that a JSON text of `schema` may contain, such as one line of a JSON Lines body.
    static func maximumValues(of schema: JSONSchema) -> Int { schema.maximumValues + spareValues }

    /// The longest valid body, rounded up to whole KiB.
    private var roundedSize: Int {
        guard bodyType == .json, let body else { return 0 }
        return (body.maximumSize + 1023) / 1024 * 1024
    }
}
