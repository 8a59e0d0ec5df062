/// Which of a database's hosts to try next, without any I/O.
///
/// A host that refuses a session (a standby, or one where no server runs) answers at once, so it may be asked often. A
/// host that is stopped or cut off does not answer, and an attempt there takes the whole connect timeout. If every
/// attempt began with it, a new primary would be found seconds late. So a silent host is tried last, and by one attempt
/// at a time.
struct PostgresHosts {
    private enum Answers {
        case promptly
        /// The host did not answer.
        case silent
        /// The host did not answer, and an attempt waits for it again.
        case awaited
    }

    private var hosts: [Answers]
    /// The host that took the last session.
    private var preferred = 0

    /// How long an attempt may take before the host counts as silent.
    static var silence: Duration { .seconds(1) }

    init(count: Int) {
        hosts = Array(repeating: .promptly, count: count)
    }

    /// The next host for an attempt that has tried some hosts in vain; nil if it has to give up. ``opened(_:)`` or
    /// ``failed(_:after:)`` must follow.
    mutating func next(tried: Set<Int>) -> Int? {
        let order = hosts.indices.map { ($0 + preferred) % hosts.count }.filter { !tried.contains($0) }
        // A single host leaves no choice: all attempts wait for it.
        if hosts.count == 1 { return order.first }
        if let host = order.first(where: { hosts[$0] == .promptly }) { return host }
        guard let host = order.first(where: { hosts[$0] == .silent }) else { return nil }
        hosts[host] = .awaited
        return host
    }

    /// Records that a host took a session.
    mutating func opened(_ host: Int) {
        hosts[host] = .promptly
        preferred = host
    }

    /// Records that a host took no session, and how long that was to find out.
    mutating func failed(_ host: Int, after duration: Duration) {
        hosts[host] = duration < Self.silence ? .promptly : .silent
    }

    /// Records that a session's statement got no answer.
    mutating func fellSilent(_ host: Int) {
        if hosts[host] == .promptly { hosts[host] = .silent }
    }
}
