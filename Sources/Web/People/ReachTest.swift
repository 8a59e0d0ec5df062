internal import JSON
internal import Pages
internal import Texts

/// "Did it reach you?" (I07): a sender tries whether a message reaches a receiver, before it matters.
enum ReachTest {
    /// The part of a connection's page: what the sender can do and has heard, or what the receiver is asked.
    static func html(_ other: Counterpart, _ visit: Visit) -> HTML {
        guard other.isTold else { return "" }
        return other.isReceiver ? sent(other, visit) : received(other, visit)
    }

    static func act(_ name: String, _ form: FormFields, on id: String) -> Act? {
        func done(_ key: String) -> (JSONValue?) -> Destination {
            { answer in
                let name = answer?["alias"]?.string ?? answer?["counterpart"]?["display_name"]?.string ?? ""
                return Destination(ConnectionScreen.path(of: id), Notice(key, ["name": .name(name)]))
            }
        }
        switch name {
        case "test": return Act(.send(.post, "/v1/connections/\(id)/test"), then: done("web.test.sent"))
        case "reached", "unreached":
            return Act(
                .send(.post, "/v1/connections/\(id)/test/answer") { json in
                    json.field("reached", name == "reached")
                    json.field("sent_at", form["sent_at"])
                },
                then: done("web.test.thanks"))
        default: return nil
        }
    }

    private static func sent(_ other: Counterpart, _ visit: Visit) -> HTML {
        let words = visit.words
        let name: [String: HTML] = ["name": "\(name: other.name)"]
        var html: HTML = "<h2 id=\"test\">\(words.html("web.test.title", name))</h2>\n"
        if let test = other.test {
            let key = test.answeredAt == nil ? "waits" : test.reached ? "reached" : "missed"
            // A test that reached somebody says nothing any more once no way leads to them.
            let tone = test.answeredAt == nil ? "info" : !test.reached ? "bad" : other.isReachable ? "good" : "quiet"
            let moment = words.moment(test.answeredAt ?? test.sentAt)
            html += """
                <p class="panel \(tone)">\(words.html("web.test.\(key)", name.merging(["moment": "\(moment)"]) { $1 }))</p>

                """
        }
        html += """
            <p class="hint">\(words.html("web.test.hint", name))</p>
            \(visit.form("\(visit.button("test", words("web.test.send"), .plain))"))
            """
        return html
    }

    private static func received(_ other: Counterpart, _ visit: Visit) -> HTML {
        let words = visit.words
        guard let test = other.test, (words.seconds(until: test.sentAt) ?? -answerable) > -answerable else { return "" }
        let name: [String: HTML] = ["name": "\(name: other.name)", "moment": "\(words.moment(test.sentAt))"]
        if test.reached { return "" }
        let asked = test.answeredAt == nil ? "web.test.asked" : "web.test.thanks"
        // A receiver who finds the message later can correct the answer.
        return """
            <section class="panel">
            <p>\(words.html(asked, name))</p>
            \(visit.form(
                """
                \(visit.hidden("sent_at", test.sentAt))\
                \(visit.button("reached", words("web.test.yes"), .plain))\
                \(test.answeredAt == nil ? visit.button("unreached", words("web.test.no"), .plain) : "")
                """))
            \(test.answeredAt == nil ? "" : visit.link(ContactsScreen.path, words("web.test.mend"), .plain))</section>

            """
    }

    /// For how long a test message can be answered, in seconds.
    private static let answerable = 2 * 86400
}
