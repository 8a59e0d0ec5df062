internal import JSON
internal import Pages
internal import Texts

/// What somebody new still has to do, on Today until it is done (I07): who is told, how they are asked, and what helps
/// whoever comes to look after them.
struct FirstSteps {
    private struct Step {
        let key: String
        let isDone: Bool
        let path: String
    }

    private let steps: [Step]
    private let receivers: [Counterpart]

    /// Reads `first_steps` of the first screen; nil once nothing is left to do.
    init?(_ facts: JSONValue?, receivers: [Counterpart]) {
        guard let facts, facts.kind == .object else { return nil }
        self.receivers = receivers.filter { $0.status != "deleted" }
        let told = receivers.filter(\.isTold)
        let paths = [
            ("heard", receivers.isEmpty ? InviteScreen.path : PeopleScreen.path),
            ("tested", told.count == 1 ? ConnectionScreen.path(of: told[0].id) + "#test" : PeopleScreen.path),
            ("reached", ContactsScreen.path),
            ("zone", ProfileScreen.path), ("number", SenderScreen.path), ("care_card", CareCardScreen.path),
        ]
        steps = paths.compactMap { key, path in
            facts[key]?.boolean.map { Step(key: key, isDone: $0, path: path) }
        }
    }

    func html(_ visit: Visit) -> HTML {
        let words = visit.words
        var rows: HTML = ""
        for step in steps {
            let label = words("web.first.\(step.key)")
            guard step.isDone else {
                rows += """
                    <li><a class="somebody warn" href="\(step.path)">\(Shape.pending.html)<span><span class="name">\(label)</span><br>
                    \(words("web.first.\(step.key)_todo"))\(step.key == "heard" ? heard(words) : "")</span></a></li>

                    """
                continue
            }
            rows += """
                <li><div class="somebody good">\(Shape.safe.html)<span><span class="name">\(label)</span>\
                \(step.key == "heard" ? heard(words) : "")</span></div></li>

                """
        }
        return "<h2>\(words("web.first.title"))</h2>\n<ul class=\"rows\" id=\"first-steps\">\n\(rows)</ul>\n"
    }

    /// How each receiver is reached, or that they cannot be.
    private func heard(_ words: Words) -> HTML {
        HTML.joined(receivers.map { "<br>\n\(name: $0.name): \($0.reached(words))" })
    }
}
