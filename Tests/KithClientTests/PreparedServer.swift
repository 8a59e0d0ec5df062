import Foundation
import Synchronization

@testable import KithClient

/// A server that gives prepared answers, in order, and records the calls.
final class PreparedServer: StreamingCaller {
    /// An answer, or the error of a call that has none.
    typealias Reply = Result<PreparedAnswer, any Error>

    private let replies = Mutex<[String: [Reply]]>([:])
    private let asked = Mutex<[String]>([])
    private let gates = Mutex<[String: (from: Int, promise: Promise<Void>)]>([:])

    /// The operation ids of the calls so far.
    var calls: [String] { asked.withLock { $0 } }

    var kith: Kith { Kith(caller: self) }

    /// The time by the server's clock.
    var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
    private let time = Mutex(Date(timeIntervalSince1970: 1_795_251_600))

    /// Prepares the next answer to a call.
    func on(_ operationID: String, _ reply: Reply) {
        replies.withLock { $0[operationID, default: []].append(reply) }
    }

    /// Lets a call, from its `number`th time on, wait for its answer until the promise is resolved.
    func hold(_ operationID: String, from number: Int = 1) -> Promise<Void> {
        let gate = Promise<Void>()
        gates.withLock { $0[operationID] = (number, gate) }
        return gate
    }

    /// Prepares a refusal.
    func on(_ operationID: String, refuse code: String, _ status: Int?, _ detail: String, after: Double? = nil) {
        on(
            operationID,
            .failure(
                KithProblem(
                    code: .init(rawValue: code), status: status, detail: detail, retryable: after != nil,
                    retryAfter: after, requestID: nil, errors: [])))
    }

    /// Prepares the next stream of events, whose reader may connect again without a wait.
    func stream(_ events: [(type: String, data: String)], ends: Bool = false) {
        let stream = replies.withLock { $0["streamEvents"]?.count ?? 0 }
        let blocks = events.enumerated().map { number, event in
            let data = event.data.split(separator: "\n").joined(separator: " ")
            return "id: \(stream)-\(number)\nevent: \(event.type)\ndata: \(data)\n\n"
        }
        let body = Data("retry: 1\n\n\(blocks.joined())".utf8)
        on(
            "streamEvents",
            .success(
                PreparedAnswer(
                    status: 200, headers: ["content-type": "text/event-stream"], body: body, staysOpen: !ends)))
    }

    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        try call.decode(try await open(call).whole())
    }

    func open<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID?, uploading file: URL?, onProgress: (@Sendable (Int64) -> Void)?
    ) async throws -> StreamedAnswer {
        let number = asked.withLock { asked in
            asked.append(call.operationID)
            return asked.count { $0 == call.operationID }
        }
        if let gate = gates.withLock({ $0[call.operationID] }), gate.from <= number { try await gate.promise.value() }
        let reply = replies.withLock { replies -> Reply? in
            guard replies[call.operationID]?.isEmpty == false else { return nil }
            return replies[call.operationID]?.removeFirst()
        }
        guard let reply else { throw Unprepared(operationID: call.operationID) }
        let caller = PreparedCaller(answers: [call.operationID: try reply.get()])
        return try await caller.open(call, as: signIn, uploading: file, onProgress: onProgress)
    }

    struct Unprepared: Error {
        let operationID: String
    }
}

extension Result where Success == PreparedAnswer, Failure == any Error {
    static func json(_ text: String) -> Self { .success(.json(text)) }
    static var cancelled: Self { .failure(CancellationError()) }
}

/// Values of the API for tests.
enum Made {
    static let alice = "019aa5c2-6a40-7d3b-9c11-000000000001"
    static let bob = "019aa5c2-6a40-7d3b-9c11-000000000002"
    static let link = "019aa5c2-6a40-7d3b-9c11-000000000003"
    static let vault = "019aa5c2-6a40-7d3b-9c11-000000000004"

    static func value<Value: Decodable>(_ json: String) throws -> Value {
        try Kith.decoder().decode(Value.self, from: Data(json.utf8))
    }

    /// What is said of a person now.
    static func state(
        _ kind: String = "unknown", _ tone: String = "unknown", _ text: String = "Nothing is expected today.",
        _ detail: String? = nil, until: String? = nil
    ) -> String {
        """
        {"kind":"\(kind)","tone":"\(tone)","text":"\(text)","detail":\(detail.map { "\"\($0)\"" } ?? "null"),
        "at":"2026-11-21T09:00:00Z","until":\(until.map { "\"\($0)\"" } ?? "null")}
        """
    }

    static func connection(
        _ id: String = link, role: String = "sender", status: String = "active", name: String = "Bob",
        state: String = state(), ping: String = "null", missed: String = "null", asked: String? = nil,
        call: String = "null",
        created: String = "2026-11-01T09:00:00Z", updated: String = "2026-11-01T09:00:00Z"
    ) -> String {
        """
        {"id":"\(id)","role":"\(role)","status":"\(status)","state":\(state),"consent_by":null,"counterpart":{"id":"\(bob)",
        "display_name":"\(name)"},"alias":null,"sender_id":"\(alice)","receiver_id":"\(bob)","created_at":"\(created)",
        "updated_at":"\(updated)","today_ping":\(ping),"missed_ping":\(missed),"missed_ping_resolution":null,
        "asked_until":\(asked.map { "\"\($0)\"" } ?? "null"),"last_check_in_at":null,
        "last_check_in_note":null,"last_check_in_source":null,"share_activity":null,"may_ask":true,
        "always_care_card":false,"last_sign":null,"ping_time":"09:00","time_zone":"UTC","call":\(call),
        "break":null,"suspended_reason":null}
        """
    }

    static func ping(
        _ status: String, at hour: String = "09", on date: String = "2026-11-21", completed: String? = nil,
        told: String? = nil, judged: String? = nil, connection: String = link
    ) -> String {
        """
        {"id":"019aa5c2-6a40-7d3b-9c11-000000000009","connection_id":"\(connection)","date":"\(date)",
        "status":"\(status)","scheduled_at":"\(date)T\(hour):00:00Z","deadline_at":"\(date)T\(hour):30:00Z",
        "completed_at":\(completed.map { "\"\($0)\"" } ?? "null"),"told_at":\(told.map { "\"\($0)\"" } ?? "null"),
        "judge_at":\(judged.map { "\"\($0)\"" } ?? "null"),"note":null}
        """
    }

    /// The first screen of a sender with these connections, and of somebody with these open alarms.
    static func home(_ connections: String?..., state: String = "null", alarms: String...) -> String {
        let page = #"{"items":[],"next_cursor":null}"#
        let items = connections.compactMap(\.self).joined(separator: ",")
        let sender = """
            {"profile":{"ping_time":"09:00","time_zone":"UTC","has_own_time_zone":false,"grace_minutes":30,
            "reminder_minutes":15,"reminders":[],"share_phone":false,"code":"123456",
            "created_at":"2026-11-01T09:00:00Z","updated_at":"2026-11-01T09:00:00Z"},"break":null,"next_ping_at":null,
            "plan":null,"dashboard":{"role":"sender","date":"2026-11-21","items":[\(items)],"next_cursor":null,
            "open_pings":0,"deadline_at":null}}
            """
        return """
            {"last_event_id":"1-2-3","state":\(state),"me":{"id":"\(bob)","external_id":null,"display_name":"Bob","phone":null,
            "email":null,"phone_verified":false,"email_verified":false,"pending_phone":null,"pending_email":null,
            "time_zone":"UTC","locale":"en","created_at":"2026-11-01T09:00:00Z"},
            "sender":\(connections.isEmpty ? "null" : sender),"receiver":null,"vaults":\(page),
            "alarms":[\(alarms.joined(separator: ","))],"unread_count":0,"unread_messages":0,
            "waiting":{"emergency_requests":[],"confirmations":[],"connections":[],"invitations":\(page)}}
            """
    }

    /// Alice's alarm on the first screen.
    static func openAlarm(_ kind: String, role: String = "receiver", status: String = "open") -> String {
        """
        {"id":"019aa5c2-6a40-7d3b-9c11-0000000000a1","kind":"\(kind)","status":"\(status)","role":"\(role)",
        "state":\(state(kind, "alarm", "Alice needs help.")),
        "sender":{"id":"\(alice)","display_name":"Alice"},"opened_at":"2026-11-21T09:30:00Z","taken_by":null,
        "taken_by_me":false,"taken_until":null}
        """
    }

    /// The answer to Alice's own call for help.
    static func called(told: Int = 2, advice: String? = nil) -> String {
        """
        {"id":"\(vault)","kind":"help","status":"open","role":"sender",
        "state":\(state("help", "alarm", "You have called for help.")),"sender":{"id":"\(alice)",
        "display_name":"Alice"},"opened_at":"2026-11-21T09:30:00Z","taken_by":null,"taken_by_me":false,
        "taken_at":null,"taken_until":null,"resolved_at":null,"resolved_by":null,"outcome":null,"next_at":null,
        "has_care_card":false,"told":\(told),"connection_id":null,"call":null,"has_place":false,"last_sign":null,
        "declined_by_me":false,"last_check_in_at":null,"last_check_in_source":null,"time_zone":null,"timeline":[],"advice":\(advice.map { "\"\($0)\"" } ?? "null")}
        """
    }

    static func nominee(_ status: String, needsConfirmation: Bool = false, level: String = "view") -> String {
        """
        {"id":"\(bob)","name":"Bob","phone":null,"email":null,"user_id":null,"user":null,"status":"\(status)",
        "access_level":"\(level)","needs_confirmation":\(needsConfirmation),"invited_at":"2026-11-01T09:00:00Z",
        "invited_by_user_id":null,"invited_by":null,"accepted_at":null,"is_currently_active":false,
        "current_session_id":null,"last_active_at":null,"share_record_id":null,"share_participant_id":null,
        "revoke_reason":null,"invitation_expires_at":null,"invitation_outcome":null,"emergency":null,"unread_count":0}
        """
    }

    static func session(
        _ id: String = link, expires: String = "2026-11-21T09:30:00Z", locked: String? = nil, reason: String? = nil
    ) -> String {
        """
        {"id":"\(id)","vault_id":"\(vault)","kind":"shared","request_id":null,"unlocked_by":"\(alice)",
        "unlocked_by_user":{"id":"\(alice)","display_name":"Alice"},"opened_at":"2026-11-21T09:00:00Z",
        "expires_at":"\(expires)","latest_expires_at":"2026-11-21T21:00:00Z","inside":[],
        "locked_at":\(locked.map { "\"\($0)\"" } ?? "null"),"locked_by":null,"locked_by_user":null,
        "lock_reason":\(reason.map { "\"\($0)\"" } ?? "null")}
        """
    }

    static func vault(
        role: String = "owner", level: String = "full", status: String? = nil, session: String = "null",
        fullMayOpen: Bool = false
    ) -> String {
        """
        {"id":"\(vault)","name":"Family papers","role":"\(role)","access_level":"\(level)",
        "status":\(status.map { "\"\($0)\"" } ?? "null"),"nominee_id":null,"owner":{"id":"\(alice)",
        "display_name":"Alice"},"require_confirmation":false,"full_may_open":\(fullMayOpen),"session":\(session),
        "counts":{"nominees":null,"documents":null,"unread":0},"pending_transfer":null,
        "created_at":"2026-11-01T09:00:00Z","updated_at":"2026-11-01T09:00:00Z","deleted_at":null}
        """
    }
}
