internal import EventLoop
internal import Postgres

/// The events in the database, as a server reads them.
struct EventFeed: Sendable {
    /// How many events are read at once of all tenants' together.
    static let tailSize = 1000
    /// How many are read at once of those that one user has missed.
    static let pageSize = 100

    let pool: PostgresPool

    /// An event that somebody here reads, by ids alone.
    struct Row: Sendable {
        let reader: EventReader
        let position: EventPosition
        let type: String
        let subject: String?
        let parent: String?
        let date: String?
    }

    /// Some events of all tenants, oldest first.
    struct Tail: Sendable {
        let piece: EventTail.Piece
        /// Those of readers who are here.
        let rows: [Row]
    }

    /// Some events that one user has missed.
    struct Page: Sendable {
        /// Where a reader stands who has everything.
        let horizon: EventPosition
        /// Why the events behind the position cannot be told any more.
        let reset: String?
        let events: [(position: EventPosition, bytes: [UInt8])]
        /// Whether there are more before the horizon.
        let hasMore: Bool
    }

    /// The oldest transaction that is still running.
    func horizon() async throws(PostgresError) -> UInt64 {
        let result = try await pool.query(
            Self.tail, [.null, .null, .int(Self.tailSize)], lane: .events)
        return try Self.number(result.rowCount > 0 ? result.string(0, 0) : nil)
    }

    /// What follows `tail`, of which `isRead` says whose somebody reads here.
    func read(after tail: EventTail, isRead: (EventReader) -> Bool) async throws(PostgresError) -> Tail {
        let result = try await pool.query(
            Self.tail,
            [
                .text(String(tail.transaction)), .text(tail.id ?? EventPosition.leastID), .int(Self.tailSize),
            ], lane: .events)
        let horizon = try Self.number(result.rowCount > 0 ? result.string(0, 0) : nil)
        var rows: [Row] = []
        var last: (transaction: UInt64, id: String)?
        for row in 0..<result.rowCount {
            // A single row without an event says the horizon alone.
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
        let piece = EventTail.Piece(horizon: horizon, last: last, isFull: result.rowCount >= Self.tailSize)
        return Tail(piece: piece, rows: rows)
    }

    /// What goes out for each of `rows`; nil for one of which there is nothing to say.
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
            // They are counted from 1.
            guard let row = result.int(line, 0).map({ $0 - 1 }), rows.indices.contains(row),
                let data = result.bytes(line, 1)
            else { continue }
            rendered[row] = ServerSentEvent.event(rows[row].position, type: rows[row].type, data: data)
        }
        return rendered
    }

    /// What `caller` has missed since `position`.
    ///
    /// - Throws: ``Problem``: `unavailable` when the database cannot be asked.
    func page(of caller: Caller, after position: EventPosition) async throws(Problem) -> Page {
        let json = try await Statements(pool: pool, client: caller.tenantID, transaction: nil).ask(
            Self.missed, as: caller, [.text(position.text), .int(Self.pageSize), .instant(pool.loop.clock.now)])
        guard let json else { throw Problem(fault: "api.events_after gave no page") }
        let root = try JSONDocument(json).root
        guard let horizon = root["horizon"]?.string.flatMap({ EventPosition($0) }) else {
            throw Problem(fault: "api.events_after gave no horizon")
        }
        let events = (root["items"]?.elements ?? []).compactMap { item -> (EventPosition, [UInt8])? in
            guard let position = item["position"]?.string.flatMap({ EventPosition($0) }),
                let type = item["type"]?.string, let data = item["data"]?.string
            else { return nil }
            return (position, ServerSentEvent.event(position, type: type, data: data.utf8))
        }
        return Page(
            horizon: horizon, reset: root["reset"]?.string, events: events, hasMore: root["more"]?.boolean ?? false)
    }

    /// Which of `callers` may read no longer, by their places.
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
    private static let missed = PreparedRoute.Call(
        "api.events_after", ["text", "integer", "timestamptz"], lane: .reads)
    private static let ended = PostgresStatement(
        name: "ended_streams", sql: "select n from api.ended_streams($1::jsonb)")
}
