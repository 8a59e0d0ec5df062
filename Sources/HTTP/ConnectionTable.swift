/// The open connections and when each one times out.
///
/// The deadlines lie side by side, so that looking through those of 20,000 connections takes some 20 µs: cheaper than
/// keeping them in order, since each request moves its connection's deadline several times and few ever come due.
struct ConnectionTable {
    private(set) var connections: [ServerConnection] = []
    private var deadlines: [ContinuousClock.Instant] = []

    var count: Int { connections.count }
    var isEmpty: Bool { connections.isEmpty }

    mutating func insert(_ connection: ServerConnection, until deadline: ContinuousClock.Instant) {
        connection.slot = connections.count
        connections.append(connection)
        deadlines.append(deadline)
    }

    mutating func remove(_ connection: ServerConnection) {
        let slot = connection.slot
        connections.swapAt(slot, connections.count - 1)
        deadlines.swapAt(slot, deadlines.count - 1)
        connections[slot].slot = slot
        connections.removeLast()
        deadlines.removeLast()
    }

    /// Gives `connection` until `deadline`.
    mutating func extend(_ connection: ServerConnection, until deadline: ContinuousClock.Instant) {
        deadlines[connection.slot] = deadline
    }

    /// The connections whose time is over.
    func due(at now: ContinuousClock.Instant) -> [ServerConnection] {
        var due: [ServerConnection] = []
        for (slot, deadline) in deadlines.enumerated() where deadline <= now { due.append(connections[slot]) }
        return due
    }
}
