internal import JSON
internal import Pages
internal import Texts

/// A nominee of a vault as the screens show it.
struct NomineeFacts {
    let id: String
    let name: String
    let phone: String?
    let email: String?
    /// The account of the person who accepted.
    let userID: String?
    let status: String
    let level: String
    let needsConfirmation: Bool
    let invitedAt: String
    let invitedBy: String
    let acceptedAt: String?
    let lastActiveAt: String?
    /// Until when the invitation can be answered; nil if none waits for an answer.
    let expiresAt: String?
    let outcome: String?
    let hasEmergencyAccess: Bool
    let unread: Int

    init(_ facts: JSONValue) {
        id = facts["id"]?.string ?? ""
        name = facts["name"]?.string ?? ""
        phone = facts["phone"]?.string
        email = facts["email"]?.string
        userID = facts["user"]?["id"]?.string
        let known = ["pending", "accepted", "active", "inactive", "revoked"]
        let given = facts["status"]?.string ?? ""
        // A server that is newer than this page may have another status.
        status = known.contains(given) ? given : "pending"
        level = facts["access_level"]?.string ?? "view"
        needsConfirmation = facts["needs_confirmation"]?.boolean ?? false
        invitedAt = facts["invited_at"]?.string ?? ""
        invitedBy = facts["invited_by"]?["display_name"]?.string ?? ""
        acceptedAt = facts["accepted_at"]?.string
        lastActiveAt = facts["last_active_at"]?.string
        expiresAt = facts["invitation_expires_at"]?.string
        outcome = facts["invitation_outcome"]?.string
        hasEmergencyAccess = facts["emergency"]?.kind == .object
        unread = facts["unread_count"]?.integer ?? 0
    }

    var canChat: Bool { status == "accepted" || status == "active" }

    /// The status in words and colour, and what it means.
    func state(_ words: Words) -> HTML {
        let tone =
            switch status {
            case "pending": "warn"
            case "accepted": "info"
            case "active": "good"
            case "revoked": "bad"
            default: "quiet"
            }
        let meaning = words(needsConfirmation ? "web.nominee.needs_confirmation" : "nominee.meaning.\(status)")
        return """
            <span class="badge \(tone)">\(words("nominee.status.\(status)"))</span> \
            <span class="quiet">\(meaning)</span>
            """
    }

    func row(in vault: String, _ words: Words) -> HTML {
        var more: [HTML] = ["\(words("invitation.access", ["level": .words(words("access.\(level)"))]))"]
        if hasEmergencyAccess { more.append("\(words("emergency.title"))") }
        if unread > 0 { more.append("\(words("web.nav.unread", ["count": .number(unread)]))") }
        return """
            <li><a href="/vaults/\(vault)/nominees/\(id)"><span class="name">\(name: name)</span><br>
            \(state(words))<br>
            <span class="quiet">\(HTML.joined(more, by: " · "))</span></a></li>

            """
    }
}

/// The access levels that can be chosen, each with its meaning.
enum AccessLevels {
    static func choices(_ levels: [String], _ words: Words) -> [(value: String, label: String, meaning: String)] {
        levels.map { ($0, words("access.\($0)"), words("access.\($0).meaning")) }
    }

    static let all = ["view", "edit", "full"]
    /// Those that emergency access can have, and those that a nominee who manages others can give.
    static let emergency = ["view", "edit"]
}
