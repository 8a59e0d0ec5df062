internal import EventLoop
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Reads events from the database for a server.
struct EventFeed: Sendable {
    /// The most events of all tenants to read at once.
    static let tailSize = 1000
    /// The most missed events of one user to read at once, and how many to read at first.
    static let pageSize = 100
    static let firstPageSize = 20

    let pool: PostgresPool

    /// An event that a reader on this server follows. It has ids only.
    struct Row: Sendable {
        let reader: EventReader
        let position: EventPosition
        let type: String
        let subject: String?
        let parent: String?
        let date: String?
    }

    /// A batch of events of all tenants, oldest first.
    struct Tail: Sendable {
        let piece: EventTail.Piece
        /// The events for readers on this server.
        let rows: [Row]
    }

    /// A batch of events that one user has missed.
    struct Page: Sendable {
        /// The position of a reader that is up to date.
        let horizon: EventPosition
        /// The reason why events after the position are no longer available.
        let reset: String?
        /// The bytes are nil for an event that has nothing to report.
        let events: [(position: EventPosition, bytes: [UInt8]?)]
        /// Whether there are more events before the horizon.
        let hasMore: Bool
    }

    /// The oldest transaction that is still running.
    func horizon() async throws(PostgresError) -> UInt64 {
        let result = try await pool.query(
            Self.tail, [.null, .null, .int(Self.tailSize)], lane: .events)
        return try Self.number(result.rowCount > 0 ? result.string(0, 0) : nil)
    }

    /// Reads the next events after `tail`, at most `size`. `isRead` says whether a reader is on this server.
    func read(
        after tail: EventTail, size: Int, isRead: (EventReader) -> Bool
    ) async throws(PostgresError) -> Tail {
        let result = try await pool.query(
            Self.tail,
            [
                .text(String(tail.transaction)), .text(tail.id ?? EventPosition.leastID), .int(size),
            ], lane: .events)
        let horizon = try Self.number(result.rowCount > 0 ? result.string(0, 0) : nil)
        var rows: [Row] = []
        var last: (transaction: UInt64, id: String)?
        for row in 0..<result.rowCount {
            // If there are no events, a single row reports the horizon.
            guard let id = result.string(row, 4) else { continue }
            let isLast = row == result.rowCount - 1
            let reader = result.string(row, 2).map { EventReader(tenantID: result.int(row, 1) ?? 0, user: $0) }
            let wanted = reader.flatMap { isRead($0) ? $0 : nil }
            guard isLast || wanted != nil else { continue }
            let transaction = try Self.number(result.string(row, 3))
            if isLast { last = (transaction, id) }
            guard let wanted else { continue }
            rows.append(
                Row(
                    reader: wanted, position: EventPosition(transaction: transaction, id: id),
                    type: result.string(row, 5) ?? "", subject: result.string(row, 6), parent: result.string(row, 7),
                    date: result.string(row, 8)))
        }
        let piece = EventTail.Piece(horizon: horizon, last: last, isFull: result.rowCount >= size)
        return Tail(piece: piece, rows: rows)
    }

    /// The bytes to send for each of `rows`; nil if an event has nothing to report.
    func render(_ rows: [Row]) async throws(PostgresError) -> [[UInt8]?] {
        var json = JSONWriter()
        json.array(rows) { json, row in
            json.object { json in
                json.field("tenant_id", row.reader.tenantID)
                json.field("user_id", row.reader.user)
                json.field("type", row.type)
                if let subject = row.subject { json.field("subject_id", subject) }
                if let parent = row.parent { json.field("parent_id", parent) }
                if let date = row.date { json.field("ping_on", date) }
            }
        }
        let result = try await pool.query(
            Self.render, [.instant(pool.loop.clock.now), .bytes(json.bytes)], lane: .events)
        var rendered = [[UInt8]?](repeating: nil, count: rows.count)
        for line in 0..<result.rowCount {
            // The database numbers them from 1.
            guard let row = result.int(line, 0).map({ $0 - 1 }), rows.indices.contains(row),
                let data = result.bytes(line, 1)
            else { continue }
            rendered[row] = ServerSentEvent.event(rows[row].position, type: rows[row].type, data: data)
        }
        return rendered
    }

    /// The first events that `caller` has missed since `position`, at most `size`, for the stream of the request with
    /// the id `request`.
    ///
    /// - Throws: ``Problem`` `unavailable` if the database does not answer in time.
    func page(
        of caller: Caller, in request: String, after position: EventPosition, size: Int
    ) async throws(Problem) -> Page {
        let json = try await Statements(
            pool: pool, client: caller.tenantID, request: request, transaction: nil
        ).ask(
            Self.missed, as: caller, [.text(position.text), .int(size), .instant(pool.loop.clock.now)])
        guard let json else { throw Problem(fault: "api.events_after gave no page") }
        let root = try JSONDocument(answer: json).root
        guard let horizon = root["horizon"]?.string.flatMap({ EventPosition($0) }) else {
            throw Problem(fault: "api.events_after gave no horizon")
        }
        let events = (root["items"]?.elements ?? []).compactMap { item -> (EventPosition, [UInt8]?)? in
            guard let position = item["position"]?.string.flatMap({ EventPosition($0) }),
                let type = item["type"]?.string
            else { return nil }
            return (
                position, item["data"]?.string.map { ServerSentEvent.event(position, type: type, data: $0.utf8) }
            )
        }
        return Page(
            horizon: horizon, reset: root["reset"]?.string, events: events, hasMore: root["more"]?.boolean ?? false)
    }

    /// The indices of those `callers` that may no longer read.
    func ended(of callers: [Caller]) async throws(PostgresError) -> [Int] {
        var json = JSONWriter()
        json.array(Array(callers.enumerated())) { json, element in
            let (number, caller) = element
            json.object { json in
                json.field("n", number)
                json.field("tenant_id", caller.tenantID)
                json.field("user_id", caller.user)
                if let session = caller.session { json.field("session_id", session) }
                guard let token = caller.token else { return }
                json.field("issued_at", Int(token.issuedAt * 1_000_000))
                json.field("key_id", token.keyID)
            }
        }
        let result = try await pool.query(Self.ended, [.bytes(json.bytes)], lane: .events)
        return (0..<result.rowCount).compactMap { result.int($0, 0) }
    }

    private static func number(_ text: String?) throws(PostgresError) -> UInt64 {
        guard let number = text.flatMap({ UInt64($0) }) else {
            throw .invalidConfiguration(reason: "api.tail_events gave no transaction")
        }
        return number
    }

    private static let tail = PostgresStatement(
        name: "tail_events",
        sql: """
            select horizon, tenant_id, user_id, xid, id, type, subject_id, parent_id, ping_on \
            from api.tail_events($1::text, $2::uuid, $3::integer)
            """)
    private static let render = PostgresStatement(
        name: "render_events", sql: "select n, data from api.render_events($1::timestamptz, $2::jsonb)")
    private static let missed = ProcedureCall(
        "api.events_after", ["text", "integer", "timestamptz"], lane: .reads)
    private static let ended = PostgresStatement(
        name: "ended_streams", sql: "select n from api.ended_streams($1::jsonb)")
}
