package import JSON
package import Pages
package import Problems
package import Texts

/// A screen of the web client: a value made from the answers of API calls, and a function that turns it into HTML.
///
/// A GET of its path shows it. A POST to the same path carries out the act that the pressed button names, and then
/// leads to another GET. If the API refuses an act, the screen is shown again with what was typed and with the reason.
package protocol Screen: SendableMetatype {
    /// The path, with parameters in braces, such as `/people/{id}`.
    static var path: String { get }
    /// Who may see the screen.
    static var visitors: ScreenVisitors { get }
    /// Whether a page of the screen can contain a secret. Such a page is not compressed (decision 41).
    static var holdsSecret: Bool { get }
    /// How the screen stores the files of its form; nil if the form has no files.
    static var files: FileUse? { get }
    /// The call that notes that the visitor has read what the screen shows; nil if there is none. It is made before the
    /// others, and only if somebody opened the page to read it (``Visit/isReading``).
    static func noteOfReading(_ visit: Visit) -> APICall?
    /// The calls whose answers the screen shows. They run at the same time.
    static func calls(_ visit: Visit) -> [APICall]
    /// Makes the screen from the answers, in the order of the calls.
    init(_ answers: [JSONValue], _ visit: Visit) throws(Problem)
    /// The content of the page.
    func page(_ visit: Visit) -> ScreenPage
    /// The act of the button `name`; nil if the screen has no such button.
    ///
    /// - Throws: ``Problem`` `validation_failed` if the form cannot be read.
    static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act?
}

extension Screen {
    package static var visitors: ScreenVisitors { .signedIn }
    package static var holdsSecret: Bool { false }
    package static var files: FileUse? { nil }
    package static func noteOfReading(_ visit: Visit) -> APICall? { nil }
    package static func calls(_ visit: Visit) -> [APICall] { [] }
    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? { nil }
}

/// Who may see a screen.
package enum ScreenVisitors: Sendable {
    /// People who are signed in. Others are redirected to the sign-in first, and then back.
    case signedIn
    /// People who are not signed in. Others are redirected to the first screen.
    case signedOut
}

/// A call of the API that a page makes for its visitor, as an app would make it over HTTP.
package struct APICall: Sendable {
    package let method: APIMethod
    /// The path and the query.
    package let path: String
    /// The JSON body; empty for none.
    package var body: [UInt8] = []
    /// The problems that the screen shows as a part of itself: their calls then have the answer null.
    package var mayFail: [ProblemCode] = []

    /// The method of a call.
    package enum APIMethod: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// A text as one segment of a path, or as a value in a query.
    package static func segment(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    [byte]
                default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }, as: UTF8.self)
    }

    /// A call that reads.
    package static func get(_ path: String, mayFail: [ProblemCode] = []) -> APICall {
        APICall(method: .get, path: path, mayFail: mayFail)
    }

    /// A call that changes something. `body` writes the members of the JSON object.
    package static func send(
        _ method: APIMethod, _ path: String, _ body: (inout JSONWriter) -> Void = { _ in }
    ) -> APICall {
        var json = JSONWriter()
        json.object(body)
        return APICall(method: method, path: path, body: method == .delete ? [] : json.bytes)
    }
}

/// How a screen stores the files of a form (RFC 7578). They are not buffered in memory: each is written to its vault
/// while the browser sends it.
package enum FileUse: Sendable {
    /// Each file becomes a document of the vault that the path's first segment names.
    case add
    /// The file becomes the content of the document that the path's second segment names.
    case replace
}

/// The action of a button: a call of the API, and the page that follows.
package struct Act {
    /// Nil for a step of a form, which does nothing yet.
    package let call: APICall?
    /// A call to make first, such as one that stores a value that the other call needs. Repeating it must do no harm.
    package var first: APICall?
    /// Refusals that mean that the act was carried out before, so that a form sent twice has the same result as one
    /// sent once.
    package var doneBefore: [ProblemCode] = []
    /// The notice of the next page after such a refusal, where it may have another reason; nil for that of the act.
    package var noticeBefore: Notice?
    /// Whether a form that is sent again, perhaps the next morning, acts again. Otherwise it gets the answer of the
    /// first time for a day.
    package var actsAnew = false
    /// Whether the act ends the visitor's sign-in in this browser.
    package var endsSession = false
    /// Whether the browser can prove after that sign-out that the visitor has used it, so that nobody can keep them
    /// from signing in again.
    package var keepsDevice = false
    /// The destination after the call, whose answer is given.
    package let destination: (JSONValue?) -> Destination
    /// The page that answers the form itself, for an answer that is given only once, such as an invitation's link; nil
    /// if the browser is led to the destination. A form that is sent again gets the same answer for some minutes.
    package let page: ((JSONValue?, Visit) -> ScreenPage)?

    package init(
        _ call: APICall, doneBefore: [ProblemCode]? = nil, then destination: @escaping (JSONValue?) -> Destination
    ) {
        self.call = call
        // A repeated deletion finds nothing.
        self.doneBefore = doneBefore ?? (call.method == .delete ? [.notFound] : [])
        self.destination = destination
        page = nil
    }

    /// An act whose answer is shown by the page that answers the form.
    package init(_ call: APICall, shows page: @escaping (JSONValue?, Visit) -> ScreenPage) {
        self.call = call
        destination = { _ in Destination("/") }
        self.page = page
    }

    private init() {
        call = nil
        destination = { _ in Destination("/") }
        page = nil
    }

    /// Shows the screen again with the form's fields as ``Visit/step``, so that it can ask before it acts.
    package static var step: Act { Act() }

    /// An act that leads to `path`, which then shows `notice`.
    package init(_ call: APICall, to path: String, _ notice: Notice? = nil) {
        self.init(call) { _ in Destination(path, notice) }
    }
}

/// The page that the browser shows after an act.
package struct Destination {
    /// The path and the query.
    package let path: String
    /// The notice at the top of the next page.
    package let notice: Notice?

    package init(_ path: String, _ notice: Notice? = nil) {
        self.path = path
        self.notice = notice
    }
}

/// The notice about the act that led to a page: a text of the catalogue and its values.
package struct Notice {
    package let key: String
    package let values: [String: TextValue]

    package init(_ key: String, _ values: [String: TextValue] = [:]) {
        self.key = key
        self.values = values
    }
}

/// The content of a page.
package struct ScreenPage {
    /// The title of the window, without the brand.
    package let title: String
    /// The content of the element `main`. It begins with the heading of the page, an `h1`.
    package let body: HTML
    /// The word of the navigation under which the screen is.
    package let section: Section?
    /// Whether the body itself shows why a form was refused. If not, the frame does.
    package var showsProblem = false

    package init(title: String, section: Section? = nil, showsProblem: Bool = false, body: HTML) {
        self.title = title
        self.section = section
        self.showsProblem = showsProblem
        self.body = body
    }

    /// The words of the navigation.
    package enum Section: String, CaseIterable, Sendable {
        case today, people, vaults, messages, me

        var path: String { "/\(rawValue)" }

        /// The types of events that concern the screens below this word.
        var events: String {
            switch self {
            case .today: "account ping connection nominee invitation alarm"
            case .people: "account ping connection alarm"
            case .vaults:
                "account vault document nominee session message conversation emergency_request invitation"
            case .messages: "notification notifications_read message conversation"
            case .me: "account connection"
            }
        }
    }
}

/// A screen as the server routes to it.
package struct ScreenRoute: Sendable {
    package let path: String
    package let visitors: ScreenVisitors
    package let holdsSecret: Bool
    package let files: FileUse?
    package let noteOfReading: @Sendable (Visit) -> APICall?
    package let calls: @Sendable (Visit) -> [APICall]
    package let page: @Sendable ([JSONValue], Visit) throws(Problem) -> ScreenPage
    package let act: @Sendable (String, FormFields, Visit) throws(Problem) -> Act?

    init<Shown: Screen>(_: Shown.Type) {
        path = Shown.path
        visitors = Shown.visitors
        holdsSecret = Shown.holdsSecret
        files = Shown.files
        noteOfReading = { Shown.noteOfReading($0) }
        calls = { Shown.calls($0) }
        page = { answers, visit throws(Problem) in try Shown(answers, visit).page(visit) }
        act = { name, form, visit throws(Problem) in try Shown.act(name, form, visit) }
    }
}
