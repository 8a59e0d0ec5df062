/// The tags of an `If-Match` or `If-None-Match` header (RFC 9110, section 13.1).
struct EntityTags {
    /// Whether any content that there is will do: `*`.
    let matchesAny: Bool
    /// The strong tags, without their quotes.
    let strong: [String]
    /// The weak ones.
    let weak: [String]

    /// The tags that `header` lists; nil without one. What is no tag names no content.
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

    /// Whether one of them is `tag`; compared weakly, a weak one counts too.
    func match(_ tag: String, weakly: Bool) -> Bool {
        matchesAny || strong.contains(tag) || weakly && weak.contains(tag)
    }
}
