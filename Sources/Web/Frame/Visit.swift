package import JSON
internal import KithCountries
package import Pages
package import Problems

/// A request for a screen, and what the server knows of its visitor.
package struct Visit: Sendable {
    /// The request's path.
    package let path: String
    /// The segments that the screen's path leaves open, percent-encoded, so that they can stand in the path of a call.
    package let parameters: [String]
    /// The parameters of the query.
    package let query: FormFields
    /// When the request arrived, in microseconds since 1970.
    package let now: Int64
    /// The texts in the visitor's language.
    package internal(set) var words: Words
    /// The name of the tenant's app.
    package let brand: String
    /// The colour of the tenant's app; nil for Kith's own.
    package var brandColor: BrandColor?
    /// The picture beside the name of the tenant's app; nil if there is none.
    package var brandMark: BrandMark?
    /// The slug of the tenant, which leads back to its sign-in where the host does not.
    package let tenant: String?
    /// The visitor; nil if nobody is signed in.
    package var person: Person?
    /// The place in the stream of events up to which the page shows everything; nil if that is not known.
    package var place: String?
    /// The visitor's id; nil if nobody is signed in.
    package var userID: String?
    /// Whether this is the page that a browser keeps and shows without a network.
    package var isOffline = false
    /// The emergency number of that page; nil for 112, and on every other page.
    package var offlineNumber: String?
    /// The text of the token for a form of this page, different with each page.
    package let token: @Sendable () -> String
    /// A new key for an act, by which a form that is sent twice acts once.
    package let newKey: @Sendable () -> String
    /// The notice of the act that led here.
    package var notice: Notice?
    /// The form that was refused. Fields show what it has.
    package var refused: RefusedForm?
    /// Whether the visitor's device is of Apple, whose links to text messages have a form of their own.
    package var isApple = false
    /// The fields of the form whose next step the screen shows.
    package var step: FormFields?
    /// Whether the page answers a form itself. Its address shows something else, so it is not brought up to date.
    package var isAnswer = false
    /// The country in whose format a phone number is read, and whose rescue services are called, of somebody who is not
    /// signed in; nil if it is unknown.
    package var country: String?
    /// The countries of phone numbers to choose from.
    package var countries: [Country] = []
    /// Whether somebody opened the page to read it. A prefetch, another site or a page in the background opens none.
    package var isReading = false
    /// The people whom one click signs in, in `kith dev`.
    package var demoPeople: [String] = []

    /// The number of the rescue services where the visitor is, as far as that is known.
    var emergencyNumber: String {
        guard let person else { return offlineNumber ?? EmergencyNumber.of(country: country) }
        return EmergencyNumber.of(zone: person.timeZone, phone: person.phone)
    }

    /// A form that was not carried out.
    package struct RefusedForm: Sendable {
        /// The button that was pressed.
        package let act: String
        package let fields: FormFields
        /// Why the form was refused; nil if it only has to be sent again, because it was open for too long.
        package let problem: Problem?

        package init(act: String, fields: FormFields, problem: Problem?) {
            self.act = act
            self.fields = fields
            self.problem = problem
        }
    }

    package init(
        path: String, parameters: [String], query: FormFields, now: Int64, words: Words, brand: String,
        tenant: String?, person: Person?, token: @escaping @Sendable () -> String,
        newKey: @escaping @Sendable () -> String
    ) {
        self.path = path
        self.parameters = parameters
        self.query = query
        self.now = now
        self.words = words
        self.brand = brand
        self.tenant = tenant
        self.person = person
        self.token = token
        self.newKey = newKey
    }

    /// The same visit, once its visitor is known. `words` are in their language.
    package func by(_ person: Person, _ words: Words) -> Visit {
        var visit = self
        visit.person = person
        visit.words = words
        return visit
    }

    /// A country with its calling code.
    package struct Country: Sendable {
        /// Two letters (ISO 3166-1).
        package let code: String
        package let callingCode: Int

        package init(code: String, callingCode: Int) {
            self.code = code
            self.callingCode = callingCode
        }
    }

    /// What the frame of a page shows of the visitor.
    package struct Person: Sendable {
        package let displayName: String
        package let timeZone: String
        package let locale: String?
        /// The visitor's phone number, which says in which country they may be.
        let phone: String?
        package let unreadCount: Int
        /// The requests for emergency access that wait for the visitor, the most urgent first.
        package let emergencies: [Emergency]
        /// The alarms that concern the visitor and are not over, the most urgent first.
        let alarms: [PresentAlarm]
        /// The questions "Are you OK?" to the visitor that are not answered.
        let asks: [OpenAsk]

        /// The visitor's own call for help that is not over. Nothing ends it that does not ask first (K13).
        var ownCall: PresentAlarm? { alarms.first { $0.isMine && $0.kind == .help } }

        /// Reads `api.page_frame`, or the first screen (`api.home`), which has the same members.
        package init(_ facts: JSONValue) {
            displayName = facts["me"]?["display_name"]?.string ?? ""
            timeZone = facts["me"]?["time_zone"]?.string ?? "UTC"
            locale = facts["me"]?["locale"]?.string
            phone = facts["me"]?["phone"]?.string
            unreadCount = facts["unread_count"]?.integer ?? 0
            let alarms = facts["alarms"]?.elements.compactMap(PresentAlarm.init) ?? []
            self.alarms = alarms.filter(\.isUrgent) + alarms.filter { !$0.isUrgent }
            asks = facts["waiting"]?["asks"]?.elements.compactMap(OpenAsk.init) ?? []
            emergencies = facts["waiting"]?["emergency_requests"]?.elements.compactMap(Emergency.init) ?? []
        }
    }

    /// A request for emergency access to a vault of the visitor.
    package struct Emergency: Sendable {
        package let id: String
        package let vaultID: String
        package let vault: String
        package let nominee: String
        /// When the nominee gets in; nil while a quorum gathers.
        package let grantsAt: String?
        package let isGranted: Bool

        init?(_ facts: JSONValue) {
            guard let id = facts["id"]?.string, let vaultID = facts["vault_id"]?.string else { return nil }
            self.id = id
            self.vaultID = vaultID
            vault = facts["vault"]?["name"]?.string ?? ""
            nominee = facts["nominee"]?["display_name"]?.string ?? facts["nominee"]?["name"]?.string ?? ""
            grantsAt = facts["grants_at"]?.string
            isGranted = facts["status"]?.string == "granted"
        }
    }
}
