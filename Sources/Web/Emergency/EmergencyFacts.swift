internal import JSON
internal import Pages
internal import Texts

/// A request for emergency access as the screens show it.
struct EmergencyRequestFacts {
    let id: String
    let vaultID: String
    let vault: String
    let owner: String
    let nominee: String
    let isOfSilence: Bool
    let status: String
    let reason: String?
    let requestedAt: String
    let grantsAt: String?
    let endsAt: String?
    let asked: [String]
    let required: Int
    let isHeld: Bool

    init(_ facts: JSONValue) {
        id = facts["id"]?.string ?? ""
        vaultID = facts["vault_id"]?.string ?? ""
        vault = facts["vault"]?["name"]?.string ?? ""
        owner = facts["owner"]?["display_name"]?.string ?? ""
        nominee = facts["nominee"]?["display_name"]?.string ?? ""
        isOfSilence = facts["cause"]?.string == "silence"
        status = facts["status"]?.string ?? "ended"
        reason = facts["reason"]?.string
        requestedAt = facts["requested_at"]?.string ?? ""
        grantsAt = facts["grants_at"]?.string
        endsAt = facts["ends_at"]?.string
        asked = facts["asked"]?.elements.compactMap { $0["display_name"]?.string } ?? []
        required = facts["required"]?.integer ?? 1
        isHeld = facts["held"]?.boolean ?? false
    }

    var isOpen: Bool { status == "gathering" || status == "waiting" || status == "granted" }
    /// Whether the nominee can enter now.
    var isUsable: Bool { status == "granted" && !isHeld }

    private func names(_ words: Words) -> [String: HTML] {
        ["name": "\(name: nominee)", "vault": "\(name: vault)"]
    }

    /// A request as the vault's owner sees it, with the buttons that decide it.
    func forOwner(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<h3>\(words.html(isOfSilence ? "emergency.silence" : "emergency.asks", names(words)))</h3>\n"
        html +=
            "<p>\(badge(words))</p>\n<p class=\"quiet\">\(words("web.emergency.requested", ["moment": .words(words.moment(requestedAt))]))</p>\n"
        if let reason { html += "<p>“\(name: reason)”</p>\n" }
        switch status {
        case "gathering":
            html += "<p>\(words("emergency.gathering", ["count": .number(max(1, required - asked.count))]))</p>\n"
        case "waiting": html += "<p>\(words("emergency.grants", ["date": .words(words.day(grantsAt ?? ""))]))</p>\n"
        case "granted": html += "<p>\(words("emergency.granted", ["date": .words(words.day(endsAt ?? ""))]))</p>\n"
        default: return "<li>\n\(html)</li>\n"
        }
        if isHeld { html += "<p>\(words("emergency.held"))</p>\n" }
        html += visit.form(
            """
            \(visit.hidden("request", id))\
            \(visit.undoing("reject", words("web.emergency.here"), .main))
            """, to: "/vaults/\(vaultID)/emergency")
        if status != "granted" {
            html += visit.link("/vaults/\(vaultID)/emergency/requests/\(id)/approve", words("emergency.approve"))
        }
        return "<li class=\"panel bad\">\n\(html)</li>\n"
    }

    /// A request as the nominee who made it sees it.
    func forNominee(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML =
            "<p>\(badge(words))</p>\n<p class=\"quiet\">\(words("web.emergency.requested", ["moment": .words(words.moment(requestedAt))]))</p>\n"
        switch status {
        case "gathering": html += "<p>\(sentence(words))</p>\n"
        case "waiting", "granted": html += "<p class=\"lead\">\(sentence(words))</p>\n"
        default: return "<li>\n<p><span class=\"name\">\(name: vault)</span></p>\n\(html)</li>\n"
        }
        var buttons: HTML = visit.hidden("request", id)
        if isUsable { buttons += visit.button("enter", words("emergency.enter"), .main) }
        if !isOfSilence { buttons += visit.undoing("withdraw", words("emergency.withdraw")) }
        html += visit.form(buttons, to: "/vaults/\(vaultID)/emergency")
        return "<li class=\"panel \(isUsable ? "good" : "warn")\">\n\(html)</li>\n"
    }

    /// The row of the nominee's list, which leads to the vault.
    func row(_ words: Words) -> HTML {
        """
        <li><a href="/vaults/\(vaultID)"><span class="name">\(name: vault)</span><br>
        <span class="state \(isUsable ? "info" : "warn")">\(sentence(words))</span></a></li>

        """
    }

    /// What holds for the nominee, in a sentence.
    private func sentence(_ words: Words) -> HTML {
        if isHeld { return "\(words("emergency.held"))" }
        let (key, moment) = isUsable ? ("emergency.own.granted", endsAt) : ("emergency.own.waiting", grantsAt)
        guard status != "gathering", let moment else {
            return "\(words("emergency.gathering", ["count": .number(max(1, required - asked.count))]))"
        }
        return words.html(key, ["vault": "\(name: vault)", "date": "\(words.day(moment))"])
    }

    private func badge(_ words: Words) -> HTML {
        let tone =
            switch status {
            case "gathering", "waiting": "warn"
            case "granted": "bad"
            default: "quiet"
            }
        return "<span class=\"badge \(tone)\">\(words("emergency.status.\(status)"))</span>"
    }
}

/// A nominee's emergency access as the screens show it.
struct EmergencyRight {
    let nomineeID: String
    /// The nominee's name, for the owner.
    let nominee: String
    /// The owner's name, for the nominee.
    let owner: String
    let vaultID: String
    let vault: String
    let waitHours: Int
    let grantHours: Int
    let level: String
    let onRequest: Bool
    let missedDays: Int?
    let endsOnCheckIn: Bool
    let signOfLife: String
    /// The sources of check-ins that end requests and grants.
    let sources: [String]
    let isVisible: Bool
    let endedAt: String?

    init(_ facts: JSONValue) {
        nomineeID = facts["nominee_id"]?.string ?? ""
        nominee = facts["nominee"]?["display_name"]?.string ?? ""
        owner = facts["owner"]?["display_name"]?.string ?? ""
        vaultID = facts["vault"]?["id"]?.string ?? ""
        vault = facts["vault"]?["name"]?.string ?? ""
        waitHours = facts["wait_hours"]?.integer ?? 168
        grantHours = facts["grant_hours"]?.integer ?? 72
        level = facts["access_level"]?.string ?? "view"
        onRequest = facts["on_request"]?.boolean ?? true
        missedDays = facts["after_missed_days"]?.integer
        endsOnCheckIn = facts["reject_on_check_in"]?.boolean ?? true
        signOfLife = facts["sign_of_life"]?.string ?? "check_in"
        sources = facts["sources"]?.elements.compactMap(\.string) ?? CheckInSources.usual
        isVisible = facts["visible"]?.boolean ?? false
        endedAt = facts["ended_at"]?.string
    }

    /// The terms of the right, in sentences.
    func terms(_ words: Words, isOwn: Bool) -> HTML {
        var sentences: [String] = []
        let person = isOwn ? "own" : "given"
        if onRequest { sentences.append(words("web.emergency.terms.request.\(person)")) }
        if let missedDays {
            sentences.append(words("web.emergency.terms.days.\(person)", ["count": .number(missedDays)]))
        }
        sentences.append(
            words("web.emergency.terms.wait.\(person)", ["duration": .words(words.duration(hours: waitHours))]))
        sentences.append(words("web.emergency.terms.stay", ["duration": .words(words.duration(hours: grantHours))]))
        sentences.append(words("web.emergency.may.\(level)"))
        return "\(sentences.joined(separator: " "))"
    }
}

extension Words {
    /// A duration in days if it is whole days, otherwise in hours.
    func duration(hours: Int) -> String {
        hours % 24 == 0
            ? self("web.duration.days", ["count": .number(hours / 24)])
            : self("web.duration.hours", ["count": .number(hours)])
    }
}
