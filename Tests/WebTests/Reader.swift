import Foundation
import JSON
import Pages
import Problems
import Texts
import Web

/// Somebody who reads pages at a moment, in a zone and a language.
struct Reader {
    /// RFC 3339, in UTC.
    var now = "2027-03-09T08:00:00Z"
    var zone = "UTC"
    var language = "en"
    /// Why a form was refused.
    var refused: Problem?
    /// The alarms that concern the reader, as every page has them.
    var alarms = ""
    /// The questions to the reader that are not answered, as every page has them.
    var asks = ""
    var phone: String?

    var words: Words {
        Words(
            Texts(in: TextCatalogue.kith.language(for: language) ?? TextCatalogue.kith.english), timeZone: zone,
            now: instant)
    }

    private var instant: Int64 {
        Int64(((try? Date(now, strategy: .iso8601)) ?? .distantPast).timeIntervalSince1970 * 1_000_000)
    }

    func visit(_ path: String) throws -> Visit {
        var visit = Visit(
            path: path, parameters: ["c1"], query: FormFields(), now: instant, words: words, brand: "Kith",
            tenant: "acme",
            person: nil, token: { "token" }, newKey: { "key" })
        visit.person = Visit.Person(
            try JSONDocument(
                Array(
                    """
                    {"me":{"display_name":"Alice","time_zone":"\(zone)","phone":\(phone.map { "\"\($0)\"" } ?? "null")},
                    "alarms":[\(alarms)],"waiting":{"asks":[\(asks)]}}
                    """.utf8)
            ).root)
        visit.isAnswer = refused != nil
        if let refused { visit.refused = Visit.RefusedForm(act: "save", fields: FormFields(), problem: refused) }
        return visit
    }

    /// The first screen, as `GET /v1/home` answers.
    func today(_ home: String) throws -> String {
        let visit = try visit(TodayScreen.path)
        return try TodayScreen([JSONDocument(Array(home.utf8)).root], visit).page(visit).body.readable
    }

    /// The page of an alarm.
    func alarm(_ alarm: String) throws -> String {
        try AlarmScreen([JSONDocument(Array(alarm.utf8)).root], visit("/alarms/a1")).page(visit("/alarms/a1")).body
            .readable
    }

    /// A connection's page.
    func connection(_ connection: String, days: String = "") throws -> String {
        let visit = try visit("/people/c1")
        let answers = try [connection, #"{"items":[\#(days)]}"#].map { try JSONDocument(Array($0.utf8)).root }
        return try ConnectionScreen(answers, visit).page(visit).body.readable
    }
}

extension HTML {
    /// What a reader reads.
    var readable: String {
        text.replacing(/<\/?(bdi|strong)>/, with: "").replacing(/<[^>]*>/, with: " ").replacing(/\s+/, with: " ")
            .replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
    }
}

/// What the API says.
enum Facts {
    /// What is said of a person now.
    static func state(_ kind: String, _ tone: String, _ text: String, _ detail: String? = nil) -> String {
        """
        {"kind":"\(kind)","tone":"\(tone)","text":"\(text)","detail":\(detail.map { "\"\($0)\"" } ?? "null"),
        "at":"2027-03-09T08:00:00.000000Z","until":null}
        """
    }

    /// A sender's first screen. `receivers` are connections.
    static func sender(_ receivers: String..., state: String) -> String {
        """
        {"state":\(state),"sender":{"profile":{"time_zone":"UTC","ping_time":"09:00"},"break":null,
        "dashboard":{"date":"2027-03-09","items":[\(receivers.joined(separator: ","))]}}}
        """
    }

    /// A receiver's first screen.
    static func receiver(_ senders: String...) -> String {
        #"{"receiver":{"profile":{},"dashboard":{"date":"2027-03-09","items":[\#(senders.joined(separator: ","))]}}}"#
    }

    static func connection(
        _ name: String, id: String = "c1", role: String = "sender", status: String = "active", ping: String = "null",
        missed: String = "null",
        last: String? = nil, pause: String = "null", zone: String = "UTC", isSuspended: Bool = false,
        state: String = state("unknown", "unknown", "Nothing is expected today.")
    ) -> String {
        """
        {"id":"\(id)","role":"\(role)","status":"\(status)","state":\(state),"counterpart":{"id":"u1","display_name":"\(name)"},"today_ping":\(ping),
        "missed_ping":\(missed),"last_check_in_at":\(last.map { "\"\($0)\"" } ?? "null"),"last_check_in_source":\(last == nil ? "null" : "\"app\""),
        "break":\(pause),"time_zone":"\(zone)","suspended_reason":\(isSuspended ? "\"subscription\"" : "null")}
        """
    }

    static func ping(
        _ status: String, on date: String, from scheduled: String = "09:00", until deadline: String? = nil,
        done: String? = nil,
        told: String? = nil, telling: String? = nil
    ) -> String {
        """
        {"date":"\(date)","status":"\(status)","scheduled_at":"\(date)T\(scheduled):00.000000Z",
        "deadline_at":"\(deadline ?? "\(date)T10:30:00.000000Z")","completed_at":\(done.map { "\"\($0)\"" } ?? "null"),
        "told_at":\(told.map { "\"\($0)\"" } ?? "null"),
        "telling":\(telling.map { "\"\($0)\"" } ?? "null"),"note":null}
        """
    }
}
