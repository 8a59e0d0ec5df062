internal import HTTP
internal import Problems

/// The media types that a client accepts (RFC 9110, section 12.5.1).
struct AcceptHeader {
    private let ranges: [(range: Substring, isRefused: Bool)]

    /// The most ranges to examine. Browsers send far fewer.
    private static let mostRanges = 50

    /// Parses the combined `Accept` fields. Without any, every type is accepted.
    init(_ header: String?) {
        // Most clients send this, so it is not parsed each time.
        guard let header, header != "*/*" else {
            ranges = []
            return
        }
        ranges = header.lowercased().split(separator: ",", maxSplits: Self.mostRanges).prefix(Self.mostRanges)
            .compactMap { element in
                let parts = element.split(separator: ";").map { $0.drop { $0 == " " || $0 == "\t" } }
                guard let range = parts.first?.prefix(while: { $0 != " " && $0 != "\t" }), range.contains("/") else {
                    return nil
                }
                let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
                return (range, weight.flatMap { Double($0) } == 0)
            }
    }

    /// - Throws: ``Problem`` `not_acceptable` if the client accepts none of the formats in which the route's endpoint
    ///   answers.
    static func check(_ request: HTTPRequest, for route: PreparedRoute) throws(Problem) {
        guard route.endpoint.answer != nil, route.endpoint.answerType != .content else { return }
        let types = [route.endpoint.answerType] + (route.endpoint.otherAnswerType.map { [$0] } ?? [])
        guard !AcceptHeader(request.headers.list("Accept")).allows(anyOf: types) else { return }
        let names = types.map(\.rawValue).joined(separator: " or ")
        throw Problem(.notAcceptable, "This call answers with \(names).")
    }

    /// Whether the client is a browser: it accepts HTML and names neither JSON nor problem documents.
    var isBrowser: Bool {
        func names(_ type: MediaType) -> Bool { ranges.contains { $0.range == type.rawValue && !$0.isRefused } }
        return names(.html) && !names(.json) && !names(.problem)
    }

    /// Whether the client accepts one of the types.
    func allows(anyOf types: [MediaType]) -> Bool {
        types.contains(where: allows)
    }

    /// Whether the client accepts the type. The most specific matching range decides.
    func allows(_ type: MediaType) -> Bool {
        guard !ranges.isEmpty else { return true }
        let name = type.rawValue
        let family = name.prefix { $0 != "/" } + "/*"
        for candidate in [name[...], family, "*/*"] {
            if let match = ranges.first(where: { $0.range == candidate }) { return !match.isRefused }
        }
        return false
    }
}
