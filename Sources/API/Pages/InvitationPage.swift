internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Requests
internal import Texts
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
        let brand: Brand
        let appLink: String?
        /// Opens the app; nil if the tenant has set no link scheme.
        let deepLink: String?
        /// The region in whose format phone numbers without a country code are read.
        let defaultRegion: String?
        /// The anonymous caller of the tenant.
        let caller: Caller

        var isPending: Bool { state == "pending" }

        /// Reads the result of `api.invitation_page`.
        init(_ facts: JSONValue) throws(Problem) {
            guard let kind = facts["kind"]?.string, let inviter = facts["inviter"]?["display_name"]?.string,
                let state = facts["state"]?.string, let needsConfirmation = facts["needs_confirmation"]?.boolean,
                let expiresAt = facts["expires_at"]?.string, let brand = Brand(facts),
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
            self.brand = brand
            appLink = facts["app_link"]?.string
            deepLink = facts["deep_link"]?.string
            defaultRegion = facts["default_region"]?.string
            caller = Caller(
                tenantID: tenantID, slug: slug, kind: .anyone, wording: Wording(facts["wording"], tenantID: tenantID))
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
    private let texts: Texts
    /// The address that a code was sent to. If it is set, the page asks for the code.
    var contact: String?
    /// The challenge of the code that this page requested. Its attempts belong to this page alone.
    var challenge: String?
    private var status = HTTPStatus.ok
    /// The error of the submitted form.
    private var notice: String?

    init(_ invitation: Invitation, _ texts: Texts) {
        self.invitation = invitation
        self.texts = texts
    }

    /// Shows the form again, with the text of this key as the error.
    mutating func refuse(_ key: String, _ status: HTTPStatus) {
        refuse(text: texts(key), status)
    }

    /// Shows the form again, with the problem as the error.
    mutating func refuse(_ problem: Problem, _ status: HTTPStatus) {
        refuse(text: problem.words(forPerson: texts).detail, status)
    }

    private mutating func refuse(text notice: String, _ status: HTTPStatus) {
        self.notice = notice
        self.status = status
    }

    /// The response. While the invitation waits for an answer, the page has forms for `token`.
    func response(form: FormToken?, _ token: String) -> HTTPResponse {
        var body: HTML = ""
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
        return Page(
            status: status, title: card, body: body, brand: invitation.brand, hasForm: form != nil,
            language: texts.language
        ).response()
    }

    private var isTransfer: Bool { invitation.kind == "transfer" }

    /// The title of the invitation's card in its present state (N22).
    private var card: String {
        let states = ["pending", "accepted", "declined", "expired"]
        let state = states.contains(invitation.state) ? invitation.state : "revoked"
        return texts("card.\(isTransfer ? "transfer" : "nominee").\(state)")
    }

    /// A text that may name the vault, the inviter and the brand.
    private func html(_ key: String, _ values: [String: HTML] = [:], count: Int? = nil) -> HTML {
        let names: [String: HTML] = [
            "name": "\(name: invitation.inviter)", "vault": "\(name: invitation.vault)",
            "brand": "\(invitation.brand.name)",
        ]
        return HTML(texts, key, names.merging(values) { $1 }, count: count)
    }

    /// The invitation and the ways to answer it.
    private func question(_ fields: HTML, _ token: String) -> HTML {
        var body: HTML = """
            <h1>\(html(isTransfer ? "page.transfer.heading" : "page.invitation.heading"))</h1>
            <section class="panel">
            <p class="card">\(card)</p>
            <p>\(name: invitation.vault)</p>
            </section>
            <p>\(meaning)</p>

            """
        if let emergency = invitation.emergency { body += "<p>\(meaning(of: emergency))</p>\n" }
        if let link = invitation.deepLink {
            body += "<a class=\"button\" href=\"\(link)\">\(html("page.invitation.open_app"))</a>\n"
        }
        body += noApp
        body += """
            <h2>\(html("page.invitation.answer_here"))</h2>
            <p><a href="\(signIn("/invitations/\(token)"))">\(html("page.invitation.sign_in"))</a></p>
            \(fields)<label for="contact">\(html("page.invitation.contact"))</label>
            <input id="contact" name="contact" required maxlength="254" autocomplete="email" autocapitalize="none" \
            spellcheck="false">
            <button class="button" name="action" value="code">\(html("page.invitation.send_code"))</button>
            </form>
            <details>
            <summary>\(html("page.invitation.decline"))</summary>
            \(fields)<p>\(html("page.invitation.decline.meaning"))</p>
            <button class="plain" name="action" value="decline">\(html("page.invitation.decline.button"))</button>
            </form>
            </details>
            <p class="quiet">\(html("page.invitation.caution", ["date": lastDay]))</p>
            """
        return body
    }

    private func codeForm(_ contact: String, _ fields: HTML) -> HTML {
        """
        <h1>\(html("page.invitation.code.heading"))</h1>
        <p>\(html("page.invitation.code.sent", ["address": "<strong>\(name: contact)</strong>"]))</p>
        \(fields)<input type="hidden" name="contact" value="\(contact)">
        <input type="hidden" name="challenge" value="\(challenge ?? "")">
        <label for="code">\(html("page.invitation.code.label"))</label>
        <input id="code" name="code" required maxlength="12" inputmode="numeric" autocomplete="one-time-code" autofocus>
        <button class="button" name="action" value="accept">\(html("page.invitation.code.accept"))</button>
        <button class="plain" name="action" value="code" formnovalidate>\(html("page.invitation.code.again"))</button>
        </form>
        """
    }

    /// The result of an answered or expired invitation.
    private var outcome: HTML {
        let (heading, text): (HTML, HTML) =
            switch invitation.state {
            case "accepted" where invitation.needsConfirmation:
                (html("page.invitation.waiting.heading"), html("page.invitation.waiting"))
            case "accepted" where isTransfer: ("\(card)", html("page.transfer.accepted"))
            case "accepted": ("\(card)", html("page.invitation.accepted"))
            case "declined": ("\(card)", html("page.invitation.declined"))
            case "expired": ("\(card)", html("page.invitation.expired", ["date": lastDay]))
            default: ("\(card)", html("page.invitation.ended"))
            }
        var body: HTML = "<h1>\(heading)</h1>\n<p>\(text)</p>\n"
        if invitation.state == "accepted" {
            body += "<p><a href=\"\(signIn(VaultsScreen.path))\">\(html("page.invitation.open_vaults"))</a></p>\n"
            if let link = invitation.deepLink {
                body += "<a class=\"button\" href=\"\(link)\">\(html("page.open_app"))</a>\n"
            }
            body += noApp
        }
        return body
    }

    /// Where to get the app, for tenants that say it.
    private var noApp: HTML {
        guard let link = invitation.appLink else { return "" }
        let anchor: HTML = "<a href=\"\(link)\">\(html("page.get_app"))</a>"
        return "<p>\(html("page.no_app", ["link": anchor]))</p>\n"
    }

    /// The access that accepting the invitation gives.
    private var meaning: HTML {
        if isTransfer { return html("page.transfer.meaning") }
        return switch invitation.accessLevel {
        case "full": html("page.invitation.meaning.full")
        case "edit": html("page.invitation.meaning.edit")
        default: html("page.invitation.meaning.view")
        }
    }

    /// Explains emergency access to the invited person.
    private func meaning(of terms: EmergencyTerms) -> HTML {
        let isDays = terms.waitHours % 24 == 0
        let count = isDays ? terms.waitHours / 24 : terms.waitHours
        let wait = HTML(texts, isDays ? "duration.wait.days" : "duration.wait.hours", count: count)
        guard let days = terms.afterMissedDays else { return html("page.invitation.emergency.request", ["wait": wait]) }
        return html(
            terms.onRequest ? "page.invitation.emergency.both" : "page.invitation.emergency.silence", ["wait": wait],
            count: days)
    }

    /// The last date, in UTC, on which the invitation can be answered.
    private var lastDay: HTML {
        CalendarDate(invitation.expiresAt.prefix(10)).map { "\(texts.words(for: .date($0)))" } ?? ""
    }

    /// The address that leads to a page of the web client, by the sign-in of the tenant.
    private func signIn(_ path: String) -> String { SignInPage.address(next: path, tenant: invitation.caller.slug) }
}
