package import Pages
package import Texts

/// The texts of the pages in a reader's language, and their dates and times as that language writes them, in the
/// reader's zone.
package struct Words: Sendable {
    package let texts: Texts
    /// The name of the reader's time zone.
    package let timeZone: String
    /// When the page is read, in microseconds since 1970. Dates of this year, and times of today, are worded shorter.
    package let now: Int64

    package init(_ texts: Texts, timeZone: String, now: Int64) {
        self.texts = texts
        self.timeZone = timeZone
        self.now = now
    }

    /// The language as a tag of BCP 47, for the attribute `lang`.
    package var language: String { texts.language.tag }

    /// `ltr`, or `rtl` for a language that is written from right to left.
    package var direction: String { texts.language.direction.rawValue }

    /// The text of a key.
    package func callAsFunction(_ key: String, _ values: [String: TextValue] = [:]) -> String {
        texts(key, values)
    }

    /// The text of a key as HTML, filled in with HTML: a name whose direction is isolated, or a link. `count` decides
    /// the plural form.
    package func html(_ key: String, _ values: [String: HTML], count: Int? = nil) -> HTML {
        var html: HTML = ""
        for part in texts.parts(key, count: count) {
            switch part {
            case .words(let words): html += "\(words)"
            case .placeholder("count"): html += "\(String(count ?? 0))"
            case .placeholder(let name): html += values[name] ?? ""
            }
        }
        return html
    }

    /// How a check-in came, such as "by text message"; nil for a source that this page does not know.
    package func source(_ source: String?) -> String? {
        guard let source, CheckInSources.all.contains(source) else { return nil }
        return self("state.source.\(source)")
    }

    /// When and how somebody last checked in.
    func lastCheckIn(_ at: String, from source: String?) -> String {
        let moment = TextValue.words(moment(at))
        guard let source = self.source(source) else { return self("web.people.last_check_in_at", ["moment": moment]) }
        return self("web.people.last_check_in", ["moment": moment, "source": .words(source)])
    }

    /// The last activity of somebody's thing.
    func lastSign(_ at: String, from thing: String) -> HTML {
        html("web.people.last_sign", ["time": "\(stamp(at))", "name": "\(name: thing)"])
    }

    /// Phrases of which one is meant: "by the app, by text message or by phone call".
    func alternatives(_ phrases: [String]) -> String {
        guard phrases.count > 1, let last = phrases.last else { return phrases.first ?? "" }
        let first = phrases.dropLast().joined(separator: ", ")
        return self("web.list.or", ["first": .words(first), "last": .words(last)])
    }

    /// Names in one phrase: "Bob", "Bob and Carol", "Bob, Carol and Dave".
    package func list(_ names: [HTML]) -> HTML {
        guard names.count > 1, let last = names.last else { return names.first ?? "" }
        return html("state.list", ["first": HTML.joined(Array(names.dropLast()), by: ", "), "last": last])
    }
}
