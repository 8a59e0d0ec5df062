internal import CLibPQ
import Glibc

/// A newly opened connection, on its way from the thread that opened it to the loop.
///
/// `@unchecked Sendable`: the thread that opened it keeps no pointer to it.
struct OpenedConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// The host's index in the URL.
    let host: Int
    /// The server's timeline, which each promotion of a standby increases. nil if the URL does not require a primary,
    /// or if the server does not say.
    let timeline: Int?

    /// Takes over an open connection. With `requiresPrimary` it asks the server for its timeline, and blocks for up to
    /// 2 s.
    init(handle: OpaquePointer, host: Int, requiresPrimary: Bool) {
        self.handle = handle
        self.host = host
        timeline = requiresPrimary ? Self.timeline(of: handle) : nil
    }

    /// The first 8 digits of the name of a WAL file are the timeline (PostgreSQL manual, "WAL Internals").
    private static let question = """
        select pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)
        """

    private static func timeline(of handle: OpaquePointer) -> Int? {
        guard PQsendQuery(handle, question) == 1 else { return nil }
        let end = ContinuousClock.now + .seconds(2)
        var timeline: Int?
        while true {
            // PQgetResult blocks while the answer is incomplete, and the server may be stopped at any instant.
            while PQisBusy(handle) == 1 {
                var waiting = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
                guard ContinuousClock.now < end, poll(&waiting, 1, 100) >= 0, PQconsumeInput(handle) == 1 else {
                    return nil
                }
            }
            guard let result = PQgetResult(handle) else { return timeline }
            if PQresultStatus(result) == PGRES_TUPLES_OK, PQntuples(result) == 1 {
                timeline = Int(String(cString: PQgetvalue(result, 0, 0)), radix: 16)
            }
            PQclear(result)
        }
    }
}
