public import Foundation
public import Observation

/// The rows of a dashboard: a value that the first answer fills and that events change.
public struct DashboardRows: Sendable, Hashable {
    /// The connections, the oldest first. Removed ones are not among them.
    public private(set) var connections: [Kith.Connection]

    /// Creates rows from the connections of an answer.
    public init(_ connections: [Kith.Connection] = []) {
        self.connections = connections.filter { $0.status != .deleted }
    }

    /// The number of pings that wait for the sender.
    public var openPings: Int {
        connections.count { $0.todayPing?.status == .due || $0.todayPing?.status == .scheduled }
    }

    /// Takes in a connection that is new or has changed. One in another role does not belong here.
    ///
    /// - Returns: Whether its status is another one than before, so that it is announced.
    @discardableResult
    public mutating func apply(_ connection: Kith.Connection, as role: Kith.Role) -> Bool {
        guard connection.role == role else { return false }
        guard connection.status != .deleted else { return remove(connection.id) }
        guard let index = connections.firstIndex(where: { $0.id == connection.id }) else {
            let place = connections.firstIndex { $0.createdAt > connection.createdAt } ?? connections.count
            connections.insert(connection, at: place)
            return true
        }
        // Events of one connection come in order, but an answer that was asked for earlier can come after an event.
        guard connection.updatedAt >= connections[index].updatedAt else { return false }
        defer { connections[index] = connection }
        return connections[index].status != connection.status
    }

    /// Takes in a ping that is new or has changed.
    ///
    /// - Returns: Whether its status is another one than before.
    @discardableResult
    public mutating func apply(_ ping: Kith.Ping) -> Bool {
        guard let index = connections.firstIndex(where: { $0.id == ping.connectionID }) else { return false }
        // The event has no connection. What a miss brings along, such as the number to call, comes with the next.
        let miss = connections[index].missedPing
        if ping.status == .missed, miss.map({ $0.date <= ping.date }) ?? true { connections[index].missedPing = ping }
        if ping.completedAt != nil, let miss, ping.date >= miss.date { connections[index].missedPing = nil }
        // Yesterday's ping, completed late, does not take the place of today's.
        if let shown = connections[index].todayPing, shown.date > ping.date { return false }
        defer {
            connections[index].todayPing = ping
            if let at = ping.completedAt {
                connections[index].lastCheckInAt = max(at, connections[index].lastCheckInAt ?? at)
            }
        }
        return connections[index].todayPing?.status != ping.status
    }

    /// Takes a connection away.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    public mutating func remove(_ id: UUID) -> Bool {
        let count = connections.count
        connections.removeAll { $0.id == id }
        return connections.count < count
    }
}

/// The dashboard of a role: a sender's receivers, or a receiver's senders, with today's pings.
@Observable @MainActor public final class DashboardScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The person's role.
    public let role: Kith.Role
    /// The rows.
    public private(set) var rows = DashboardRows()
    /// Whether the rows have been loaded once.
    public var isLoaded: Bool { state.isLoaded }

    private let calls: ScreenCalls

    /// Creates an empty dashboard. Call ``load()`` when it appears.
    public init(_ kith: Kith, as role: Kith.Role, texts: KithTexts = .english) {
        (calls, self.role, self.texts) = (ScreenCalls(kith), role, texts)
    }

    /// The title.
    public var title: String { role == .sender ? texts.dashboardTitleSender : texts.dashboardTitleReceiver }

    /// What stands in place of the rows; nil if there are some, or if nothing is known yet.
    public var placeholder: String? {
        guard isLoaded, rows.connections.isEmpty else { return nil }
        return role == .sender ? texts.dashboardEmptySender : texts.dashboardEmptyReceiver
    }

    /// Loads the rows, on appearing and after the stream of events says that it has missed something.
    public func load() async {
        await load {
            try await calls.dashboard(role)
        } then: { connections in
            rows = DashboardRows(connections)
        }
    }

    /// Takes in a changed connection from the stream of events, and announces a new status.
    public func apply(_ connection: Kith.Connection) {
        guard rows.apply(connection, as: role) else { return }
        let status = connection.status.badge(texts).name
        state.announce(texts.connectionStatusAnnouncement(name: connection.shownName, status: status))
    }

    /// Takes in a changed ping from the stream of events. A receiver hears of a check-in and of a miss.
    public func apply(_ ping: Kith.Ping) {
        guard rows.apply(ping), role == .receiver,
            let connection = rows.connections.first(where: { $0.id == ping.connectionID }),
            let sentence = connection.sentence(texts)
        else { return }
        state.announce(sentence)
    }

    /// Whether a miss begins or ends with a ping, or a new day's ping comes while one waits for an answer.
    func changesMiss(_ ping: Kith.Ping) -> Bool {
        guard role == .receiver, let row = rows.connections.first(where: { $0.id == ping.connectionID }) else {
            return false
        }
        return ping.status == .missed || row.missedPing != nil
    }

    /// Loads the connection of a ping: how to call the sender, the missed ping and the last check-in come with the
    /// connection only. If that fails, the screen is to be loaded again.
    func loadConnection(of ping: Kith.Ping) async {
        guard let row = rows.connections.first(where: { $0.id == ping.connectionID }) else { return }
        do {
            apply(try await calls.connection(row.id))
        } catch {
            if !(error is CancellationError) { state.wantLoad(at: Date()) }
        }
    }

    /// Takes away a connection that is gone.
    public func remove(_ id: UUID) {
        rows.remove(id)
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}

extension Kith.Connection {
    /// What a receiver reads: first a miss that nobody has answered, which no new day hides, then today. Nil while
    /// there is nothing to say. Only a completed ping says that the sender checked in.
    public func sentence(_ texts: KithTexts = .english) -> String? {
        if let missedPing, missedPing.date != todayPing?.date {
            return texts.checkInSeenMissedOn(name: shownName, date: missedPing.date.formatted(texts))
        }
        if missedPing != nil { return texts.checkInSeenMissed(name: shownName) }
        return switch todayPing?.status {
        case .completed: texts.checkInSeenCompleted(name: shownName)
        case .missed: texts.checkInSeenMissed(name: shownName)
        // Nobody is called safe while a newer question of the receiver's stands open.
        case .completedLate:
            askedUntil == nil ? texts.checkInSeenLate(name: shownName) : texts.checkInSeenCompleted(name: shownName)
        default: nil
        }
    }
}
