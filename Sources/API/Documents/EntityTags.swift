internal import HTTP
internal import JSON
internal import Postgres

/// The tags of an `If-Match` or `If-None-Match` header (RFC 9110, section 13.1).
struct EntityTags {
    /// Whether the header is `*`, which matches any content.
    let matchesAny: Bool
    /// The strong tags, without their quotes.
    let strong: [String]
    /// The weak tags, without their quotes.
    let weak: [String]

    /// Reads the tags of `header`; nil without a header. Malformed parts match nothing.
    init?(_ header: String?) {
        guard let header else { return nil }
        var (strong, weak): ([String], [String]) = ([], [])
        var rest = header[...]
        matchesAny = header.filter { $0 != " " && $0 != "\t" } == "*"
        while let start = rest.firstIndex(of: "\""), let end = rest[rest.index(after: start)...].firstIndex(of: "\"") {
            let tag = String(rest[rest.index(after: start)..<end])
            if rest[..<start].hasSuffix("W/") { weak.append(tag) } else { strong.append(tag) }
            rest = rest[rest.index(after: end)...]
        }
        self.strong = strong
        self.weak = weak
    }

    /// Whether `tag` is in the list. A weak comparison also considers the weak tags.
    func match(_ tag: String, weakly: Bool) -> Bool {
        matchesAny || strong.contains(tag) || weakly && weak.contains(tag)
    }
}

extension PostgresValue {
    /// The versions that the request's `If-Match` allows, as `uuid[]`; null if it allows any.
    static func expectedVersions(of request: HTTPRequest) -> PostgresValue {
        guard let tags = EntityTags(request.headers.list("If-Match")), !tags.matchesAny else { return .null }
        return .ids(tags.strong)
    }

    /// The versions that the request's `If-None-Match` excludes, as `uuid[]`: empty if it excludes all, null if it
    /// excludes none.
    static func unexpectedVersions(of request: HTTPRequest) -> PostgresValue {
        guard let tags = EntityTags(request.headers.list("If-None-Match")) else { return .null }
        if tags.matchesAny { return .ids([]) }
        let known = (tags.strong + tags.weak).filter { TextFormat.uuid.accepts($0) }
        return known.isEmpty ? .null : .ids(known)
    }

    private static func ids(_ texts: [String]) -> PostgresValue {
        .array(texts.filter { TextFormat.uuid.accepts($0) })
    }
}
