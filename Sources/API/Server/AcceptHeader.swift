/// Which media types a client takes (RFC 9110, section 12.5.1).
struct AcceptHeader {
    private let ranges: [(range: Substring, isRefused: Bool)]

    /// How many ranges are looked at: many times what a browser sends.
    private static let mostRanges = 50

    /// What the `Accept` fields say; without one, everything is taken.
    init(_ header: String?) {
        // What nearly every client says: not to be taken apart for each request.
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

    /// Whether a person is to read the answer: the client names HTML, and neither JSON nor a problem document.
    var isBrowser: Bool {
        func names(_ type: MediaType) -> Bool { ranges.contains { $0.range == type.rawValue && !$0.isRefused } }
        return names(.html) && !names(.json) && !names(.problem)
    }

    /// Whether an answer of one of the types is welcome.
    func allows(anyOf types: [MediaType]) -> Bool {
        types.contains(where: allows)
    }

    /// Whether an answer of that type is welcome: what the most specific range says that it falls into.
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
