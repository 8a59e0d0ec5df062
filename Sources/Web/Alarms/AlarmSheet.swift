package import JSON
internal import KithCountries
package import Pages
internal import Texts

/// The first part of an alarm's page, for somebody who was told of it, and the ways to reach its sender. It is the same
/// behind the sign-in and behind the link in a message (K11), which knows people by their first names.
package struct AlarmSheet {
    package let state: StateFacts
    let name: String
    /// The sender's words in a call for help.
    let call: String?
    let phone: String?
    private let isReal: Bool
    private let openedAt: String
    private let lastCheckIn: (at: String, source: String?)?
    private let lastSign: (at: String, name: String)?

    /// - Parameters:
    ///   - facts: The alarm, as the API or the procedure of a link gives it.
    ///   - name: What its reader calls the sender.
    ///   - call: The sender's words in a call for help.
    package init(_ facts: JSONValue, name: String, call: String?) {
        state = StateFacts(facts["state"])
        self.name = name
        self.call = call
        phone = facts["call"]?["phone"]?.string
        isReal = facts["kind"]?.string != "drill"
        openedAt = facts["opened_at"]?.string ?? ""
        lastCheckIn = facts["last_check_in_at"]?.string.map { ($0, facts["last_check_in_source"]?.string) }
        lastSign = facts["last_sign"]?["at"]?.string.map { ($0, facts["last_sign"]?["name"]?.string ?? "") }
    }

    /// What it is about, who looks after it, what the sender wrote, since when it stands, and the last signs of life.
    package func top(_ words: Words) -> HTML {
        var html: HTML = "\(state.heading)<p class=\"lead\">\(state.detail ?? "")</p>\n"
        if let call {
            html +=
                "<p class=\"lead\">\(words.html("web.alarm.wrote", ["name": "\(name: name)"])) <q>\(name: call)</q></p>\n"
        }
        if !isReal { html += "<p class=\"panel info lead\">\(words("web.alarm.drill_text"))</p>\n" }
        var lines: [HTML] = ["\(words("web.alarm.began", ["moment": .words(words.moment(openedAt))]))"]
        if let lastCheckIn { lines.append("\(words.lastCheckIn(lastCheckIn.at, from: lastCheckIn.source))") }
        if let lastSign { lines.append(words.lastSign(lastSign.at, from: lastSign.name)) }
        return "\(html)<p>\(HTML.joined(lines, by: "<br>\n"))</p>\n"
    }

    /// How to reach the sender, and whom to call where that is not enough.
    package func ways(_ words: Words, emergencyNumber: String) -> HTML {
        guard isReal else { return "" }
        let name: [String: HTML] = ["name": "\(name: name)"]
        var html: HTML = ""
        if let phone {
            html +=
                "<p><a class=\"button\" href=\"tel:\(phone)\"><span>\(words.html("web.people.call", name))</span></a></p>\n"
        }
        if phone == nil { html += "<p>\(words.html("web.alarm.no_number", name))</p>\n" }
        return """
            \(html)<p>\(words.html("web.connection.alarm", name))</p>
            \(EmergencyNumber.call(emergencyNumber, words.texts))
            """
    }
}
