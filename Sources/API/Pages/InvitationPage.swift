internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Requests
internal import Web

/// The page of an invitation by token, in each of its states.
struct InvitationPage {
    /// The facts of the invitation. Everything but the caller is shown to anybody who has the token.
    struct Invitation {
        let kind: String
        /// The vault's name, from the card once the invitation is accepted; empty if the token is no longer valid.
        let vault: String
        let inviter: String
        /// The level that accepting gives; nil once the invitation is answered.
        let accessLevel: String?
        let state: String
        let needsConfirmation: Bool
        /// The emergency access that comes with the invitation; nil if there is none, or if the owner does not show it.
        let emergency: EmergencyTerms?
        let expiresAt: String
        let brandName: String
        let appLink: String?
        /// Opens the app; nil if the tenant has set no link scheme.
        let deepLink: String?
        let card: String
        /// The region in whose format phone numbers without a country code are read.
        let defaultRegion: String?
        /// The anonymous caller of the tenant.
        let caller: Caller

        var isPending: Bool { state == "pending" }

        /// Reads the result of `api.invitation_page`.
        init(_ facts: JSONValue) throws(Problem) {
            guard let kind = facts["kind"]?.string, let inviter = facts["inviter"]?["display_name"]?.string,
                let state = facts["state"]?.string, let needsConfirmation = facts["needs_confirmation"]?.boolean,
                let expiresAt = facts["expires_at"]?.string, let brandName = facts["brand_name"]?.string,
                let card = facts["card"]?["title"]?.string,
                let tenantID = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string
            else { throw Problem(fault: "api.invitation_page left something out") }
            self.kind = kind
            vault = facts["vault"]?["name"]?.string ?? facts["card"]?["subtitle"]?.string ?? ""
            self.inviter = inviter
            accessLevel = facts["access_level"]?.string
            self.state = state
            self.needsConfirmation = needsConfirmation
            emergency = facts["emergency"].flatMap(EmergencyTerms.init)
            self.expiresAt = expiresAt
            self.brandName = brandName
            appLink = facts["app_link"]?.string
            deepLink = facts["deep_link"]?.string
            self.card = card
            defaultRegion = facts["default_region"]?.string
            caller = Caller(tenantID: tenantID, slug: slug, kind: .anyone)
        }
    }

    /// What starts emergency access, and the wait before it.
    struct EmergencyTerms {
        let waitHours: Int
        let onRequest: Bool
        let afterMissedDays: Int?

        /// Reads the member `emergency` of the facts; nil if it is null.
        init?(_ facts: JSONValue) {
            guard let waitHours = facts["wait_hours"]?.integer, let onRequest = facts["on_request"]?.boolean else {
                return nil
            }
            self.waitHours = waitHours
            self.onRequest = onRequest
            afterMissedDays = facts["after_missed_days"]?.integer
        }
    }

    let invitation: Invitation
    /// The address that a code was sent to. If it is set, the page asks for the code.
    var contact: String?
    /// The challenge of the code that this page requested. Its attempts belong to this page alone.
    var challenge: String?
    private var status = HTTPStatus.ok
    /// The error of the submitted form.
    private var notice: String?

    init(_ invitation: Invitation) {
        self.invitation = invitation
    }

    /// Shows the form again, with the error.
    mutating func refuse(_ notice: String, _ status: HTTPStatus) {
        self.notice = notice
        self.status = status
    }

    /// The response. While the invitation waits for an answer, the page has forms for `token`.
    func response(form: FormToken?, _ token: String) -> HTTPResponse {
        var body: HTML = "<p class=\"brand\">\(invitation.brandName)</p>\n"
        if let form {
            if let notice { body += "<p class=\"notice\" role=\"alert\">\(notice)</p>\n" }
            let fields: HTML = """
                <form method="post" action="/i/\(token)">
                <input type="hidden" name="form" value="\(form.text)">

                """
            body += contact.map { codeForm($0, fields) } ?? question(fields, token)
        } else {
            body += outcome
        }
        return Page(status: status, title: invitation.card, body: body, hasForm: form != nil).response()
    }

    private var isTransfer: Bool { invitation.kind == "transfer" }

    /// The invitation and the ways to answer it.
    private func question(_ fields: HTML, _ token: String) -> HTML {
        let heading: HTML =
            isTransfer
            ? "\(name: invitation.inviter) wants to make you the owner of “\(name: invitation.vault)”"
            : "\(name: invitation.inviter) invites you to “\(name: invitation.vault)”"
        var body: HTML = """
            <h1>\(heading)</h1>
            <section class="panel">
            <p class="card">\(invitation.card)</p>
            <p>\(name: invitation.vault)</p>
            </section>
            <p>\(meaning)</p>

            """
        if let emergency = invitation.emergency { body += "<p>\(Self.meaning(of: emergency))</p>\n" }
        if let link = invitation.deepLink {
            body += "<a class=\"button\" href=\"\(link)\">Open in \(invitation.brandName)</a>\n"
        }
        if let link = invitation.appLink {
            body += "<p>You don’t have the app yet? <a href=\"\(link)\">Get \(invitation.brandName)</a></p>\n"
        }
        body += """
            <h2>Or answer here</h2>
            <p><a href="\(signIn("/invitations/\(token)"))">Sign in to \(invitation.brandName) in this browser</a>, and see \
            the vault afterwards. Or accept with a code:</p>
            \(fields)<label for="contact">Your e-mail address or phone number</label>
            <input id="contact" name="contact" required maxlength="254" autocomplete="email" autocapitalize="none" \
            spellcheck="false">
            <button class="button" name="action" value="code">Send me a code</button>
            </form>
            <details>
            <summary>Decline</summary>
            \(fields)<p>\(name: invitation.inviter) is told that the invitation was declined, and not by whom.</p>
            <button class="plain" name="action" value="decline">Decline this invitation</button>
            </form>
            </details>
            <p class="quiet">Accept only if you know who sent it. You can answer until \(lastDay).</p>
            """
        return body
    }

    private func codeForm(_ contact: String, _ fields: HTML) -> HTML {
        """
        <h1>Enter your code</h1>
        <p>We have sent a code of six digits to <strong>\(name: contact)</strong>. With it you accept the invitation to \
        “\(name: invitation.vault)”.</p>
        \(fields)<input type="hidden" name="contact" value="\(contact)">
        <input type="hidden" name="challenge" value="\(challenge ?? "")">
        <label for="code">Code</label>
        <input id="code" name="code" required maxlength="12" inputmode="numeric" autocomplete="one-time-code" autofocus>
        <button class="button" name="action" value="accept">Accept the invitation</button>
        <button class="plain" name="action" value="code" formnovalidate>Send a new code</button>
        </form>
        """
    }

    /// The result of an answered or expired invitation.
    private var outcome: HTML {
        let (heading, text): (HTML, HTML) =
            switch invitation.state {
            case "accepted" where invitation.needsConfirmation:
                (
                    "Waiting for confirmation",
                    "You have accepted. Before you can enter “\(name: invitation.vault)”, its owner has to confirm your access."
                )
            case "accepted" where isTransfer:
                ("\(invitation.card)", "The vault has a new owner.")
            case "accepted":
                (
                    "\(invitation.card)",
                    "With \(invitation.brandName) you can enter “\(name: invitation.vault)” whenever its owner has it open."
                )
            case "declined": ("\(invitation.card)", "Nobody was given access by this invitation.")
            case "expired":
                (
                    "\(invitation.card)",
                    "This could be answered until \(lastDay). Please ask for a new invitation."
                )
            default:
                ("\(invitation.card)", "This invitation is no longer valid.")
            }
        var body: HTML = "<h1>\(heading)</h1>\n<p>\(text)</p>\n"
        if invitation.state == "accepted" {
            body += "<p><a href=\"\(signIn(VaultsScreen.path))\">Open your vaults in this browser</a></p>\n"
            if let link = invitation.deepLink {
                body += "<a class=\"button\" href=\"\(link)\">Open \(invitation.brandName)</a>\n"
            }
            if let link = invitation.appLink {
                body += "<p>You don’t have the app yet? <a href=\"\(link)\">Get \(invitation.brandName)</a></p>\n"
            }
        }
        return body
    }

    /// The access that accepting the invitation gives.
    private var meaning: HTML {
        if isTransfer { return "The vault, with everything in it, would be yours." }
        return switch invitation.accessLevel {
        case "full":
            "While its owner has this vault open, you could read, add and delete documents, and invite others."
        case "edit": "While its owner has this vault open, you could read, add and replace documents."
        default: "While its owner has this vault open, you could read its documents."
        }
    }

    /// Explains emergency access to the invited person.
    private static func meaning(of terms: EmergencyTerms) -> HTML {
        let wait = words(terms.waitHours)
        let days = terms.afterMissedDays.map(String.init) ?? ""
        if terms.afterMissedDays == nil {
            return "In an emergency you could ask to enter. Unless the owner says no, you would get in \(wait) later."
        }
        if !terms.onRequest {
            return
                "If the owner misses the check-in for \(days) days in a row, and does not answer for another \(wait), you would get in."
        }
        return
            "In an emergency you could ask to enter. Unless the owner says no, you would get in \(wait) later. The same happens if the owner misses the check-in for \(days) days in a row."
    }

    /// A wait in days if it is whole days, otherwise in hours.
    private static func words(_ hours: Int) -> String {
        let (count, unit) = hours % 24 == 0 ? (hours / 24, "day") : (hours, "hour")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// The address that leads to a page of the web client, by the sign-in of the tenant.
    private func signIn(_ path: String) -> String { SignInPage.address(next: path, tenant: invitation.caller.slug) }

    private var lastDay: String { String(invitation.expiresAt.prefix(10)) }
}
