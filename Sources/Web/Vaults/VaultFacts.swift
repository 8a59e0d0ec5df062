internal import JSON
internal import Pages
internal import Texts

/// A vault as the screens show it.
struct VaultFacts {
    /// The time in which a vault is open.
    struct Session {
        let openedAt: String
        let expiresAt: String
        let opener: String
        let inside: [String]
        let isEmergency: Bool

        init?(_ facts: JSONValue) {
            guard let expiresAt = facts["expires_at"]?.string else { return nil }
            self.expiresAt = expiresAt
            openedAt = facts["opened_at"]?.string ?? ""
            opener = facts["unlocked_by_user"]?["display_name"]?.string ?? ""
            inside = facts["inside"]?.elements.compactMap { $0["display_name"]?.string } ?? []
            isEmergency = facts["kind"]?.string == "emergency"
        }

        /// When the vault locks: the time that is left, which a script may count down, and the clock time.
        func end(_ words: Words) -> HTML {
            let seconds = max(0, words.seconds(until: expiresAt) ?? 0)
            // Emergency access can last for days, so it has no countdown.
            guard seconds < 7200 else {
                return "\(words("web.vault.until", ["until": .words(words.until(expiresAt))]))"
            }
            let left =
                seconds < 60
                ? words("vault.left.seconds", ["count": .number(seconds)])
                : words("vault.left.minutes", ["count": .number(seconds / 60)])
            return "<time datetime=\"\(expiresAt)\" data-countdown>\(left)</time>, \(words.moment(expiresAt))"
        }
    }

    let id: String
    let name: String
    let isOwner: Bool
    let level: String
    /// The visitor's status as a nominee; nil for the owner.
    let status: String?
    /// The visitor's id as a nominee.
    let nomineeID: String?
    let owner: String
    let requiresConfirmation: Bool
    let fullMayOpen: Bool
    let session: Session?
    /// The nominees who are not revoked; nil unless the visitor manages them.
    let nominees: Int?
    let documents: Int?
    let unread: Int
    /// The person to whom the vault is offered.
    let recipient: String?
    let deletedAt: String?

    init(_ facts: JSONValue) {
        id = facts["id"]?.string ?? ""
        name = facts["name"]?.string ?? ""
        isOwner = facts["role"]?.string == "owner"
        level = facts["access_level"]?.string ?? "view"
        status = facts["status"]?.string
        nomineeID = facts["nominee_id"]?.string
        owner = facts["owner"]?["display_name"]?.string ?? ""
        requiresConfirmation = facts["require_confirmation"]?.boolean ?? false
        fullMayOpen = facts["full_may_open"]?.boolean ?? false
        session = facts["session"].flatMap(Session.init)
        nominees = facts["counts"]?["nominees"].flatMap { counts in
            counts.kind == .object ? counts.members.reduce(0) { $0 + ($1.value.integer ?? 0) } : nil
        }
        documents = facts["counts"]?["documents"]?.integer
        unread = facts["counts"]?["unread"]?.integer ?? 0
        recipient = facts["pending_transfer"]?["name"]?.string
        deletedAt = facts["deleted_at"]?.string
    }

    var path: String { "/vaults/\(id)" }
    var isOpen: Bool { session != nil }
    /// Whether the visitor has access whenever the vault is open.
    var hasAccess: Bool { isOwner || status == "accepted" || status == "active" }
    var mayOpen: Bool { isOwner || level == "full" && fullMayOpen }
    var mayEdit: Bool { isOwner || level != "view" }
    var managesNominees: Bool { isOwner || level == "full" }
    var title: HTML { "\(name: name)" }

    /// Open or locked, in words and colour.
    func state(_ words: Words) -> HTML {
        isOpen
            ? "<span class=\"badge good\">\(words("vault.state.open"))</span>"
            : "<span class=\"badge\">\(words("vault.state.locked"))</span>"
    }

    /// The row of a list.
    func row(_ words: Words) -> HTML {
        var lines: [HTML] = [state(words)]
        if !isOwner { lines.append("\(words.html("web.vault.owned_by", ["name": "\(name: owner)"]))") }
        if let documents { lines.append("\(words("web.vault.documents_count", ["count": .number(documents)]))") }
        if let nominees, nominees > 0 {
            lines.append("\(words("web.vault.nominees_count", ["count": .number(nominees)]))")
        }
        if unread > 0 { lines.append("\(words("web.nav.unread", ["count": .number(unread)]))") }
        return """
            <li><a href="\(path)"><span class="name">\(title)</span><br>
            <span class="quiet">\(HTML.joined(lines, by: " · "))</span></a></li>

            """
    }
}
