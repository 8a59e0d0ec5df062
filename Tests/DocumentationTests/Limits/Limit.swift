import Foundation
import HTTP
import Problems
import Testing

/// A row of docs/limits.md.
struct Limit: Sendable {
    /// The thing that is limited, with the same places as the limit.
    let what: String
    /// The limit. `{0}` stands for the first reading, `{1}` for the second.
    let text: String
    let readings: [LimitReading]
    /// The persons who can change it.
    let change: [Change]
    /// What happens at the limit. `{quota_exceeded}` stands for that problem with its status. The file that enforces
    /// the limit has to refuse with it.
    let reached: String
    /// The file that refuses, unless it is that of the first reading.
    let refusedIn: String?
    /// What the API's documentation says (`Endpoint.Bound`, or a call's own bound), with the same places.
    let bounds: [String]

    /// A person who can change a limit.
    enum Change: Sendable {
        /// A tenant's setting. Whether the tenant can change it, or only an operator, is read from the procedure.
        case setting(String)
        /// A variable of the server.
        case variable(String)
        /// An operator raises it for one person for a time.
        case quota
    }

    init(
        _ what: String, _ text: String, _ readings: [LimitReading], _ reached: String, changedBy change: [Change] = [],
        refusedIn: String? = nil, bounds: [String] = []
    ) {
        self.what = what
        self.text = text
        self.readings = readings
        self.change = change
        self.reached = reached
        self.refusedIn = refusedIn
        self.bounds = bounds
    }

    /// A limit of `internal.acts_a_day`, which an operator can raise for one person.
    static func aDay(
        _ what: String, _ act: String, _ text: String = "{0} in a UTC day", bounds: [String] = []
    ) -> Limit {
        Limit(what, text, [.act(act)], "{too_many_requests}", changedBy: [.quota], bounds: bounds)
    }

    /// A text with the readings in their places.
    func filled(_ text: String) throws -> String {
        var filled = text
        for (place, reading) in readings.enumerated() {
            filled = filled.replacing("{\(place)}", with: Self.shown(try reading.value()))
        }
        #expect(filled.firstMatch(of: /\{[0-9]\}/) == nil, "no reading for a place of: \(text)")
        return filled
    }

    /// A number as the page writes it: 50,000.
    static func shown(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().map { place, digit in
            place > 0 && (digits.count - place).isMultiple(of: 3) ? ",\(digit)" : String(digit)
        }.joined()
    }

    /// The row of the table.
    func row() throws -> String {
        let reached = try reachedText()
        return try "| \(filled(what)) | \(filled(text)) | \(changeText()) | \(reached) |"
    }

    /// Who can change it, each once with what they change.
    private func changeText() throws -> String {
        var texts: [(who: String, what: [String])] = []
        for (who, what) in try change.map({ try $0.text() }) {
            if let known = texts.firstIndex(where: { $0.who == who }) {
                texts[known].what.append(what)
            } else {
                texts.append((who, [what]))
            }
        }
        let shown = texts.map { "\($0.who): \($0.what.joined(separator: "; "))" }
        return shown.isEmpty ? "–" : shown.joined(separator: "; ")
    }

    private func reachedText() throws -> String {
        var text = try filled(reached)
        for match in reached.matches(of: /\{([a-z_]+)\}/) {
            let code = String(match.1)
            let status = try #require(
                ProblemCode.all.first { $0.rawValue == code }?.entry.status.rawValue, "no problem \(code)")
            text = text.replacing("{\(code)}", with: "\(status) `\(code)`")
            let file = refusedIn ?? readings.first?.file ?? ""
            let source = try Repository.text(file)
            let name = code.split(separator: "_").enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            #expect(source.contains("'\(code)'") || source.contains(".\(name)"), "\(file) never refuses with \(code)")
        }
        return text
    }
}

extension Limit.Change {
    /// The settings that a tenant's server can change, by `PATCH /v1/tenant`.
    private static func settingsOfTenant() throws -> Set<String> {
        let procedure = try Repository.text("sql/tenants/api.tenant.sql")
        let list = try #require(procedure.firstMatch(of: /internal\.change_tenant\([^;]*array\[([^\]]*)\]/)).1
        return Set(list.matches(of: /'([a-z_]+)'/).map { String($0.1) })
    }

    /// Who can change it, and what they change.
    func text() throws -> (who: String, what: String) {
        switch self {
        case .setting(let name):
            let who = try Self.settingsOfTenant().contains(name) ? "tenant" : "operator"
            let (least, most) = (try LimitReading.least(name).value(), try LimitReading.most(name).value())
            return (who, "`\(name)`, \(Limit.shown(least)) to \(Limit.shown(most))")
        case .variable(let name):
            let variables = try Repository.text("Sources/kith/Configuration/Configuration.swift")
            #expect(variables.contains("\"\(name)\""), "there is no variable \(name)")
            return ("operator", "`\(name)`")
        case .quota: return ("operator, for one person", "`admin.raise_quota`")
        }
    }
}
