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
        connections.count {
            $0.status != .pending && ($0.todayPing?.status == .due || $0.todayPing?.status == .scheduled)
        }
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

    /// Marks a connection as one of which nobody knows how it stands, until it has been loaded again.
    mutating func forget(_ id: UUID, since instant: Date, _ texts: KithTexts) {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
        connections[index].state = connections[index].state.unknown(since: instant, texts)
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
///
/// Calls: `getDashboard`, `getConnection`; `streamEvents` while it follows.
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

    let calls: ScreenCalls

    /// Creates an empty dashboard. Call ``load()`` when it appears.
    public init(_ kith: Kith, as role: Kith.Role, texts: KithTexts = .preferred()) {
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

    /// How things stand in a connection, at this moment.
    public func state(of connection: Kith.Connection) -> Kith.State { connection.state.current(at: calls.now, texts) }

    /// When a row changes by itself the next time; nil if none does.
    var changesAt: Date? { rows.connections.compactMap(\.state.until).min() }

    /// Takes in a changed connection from the stream of events, and announces a new status, and to a receiver what is
    /// said of the sender now.
    public func apply(_ connection: Kith.Connection) {
        let before = rows.connections.first { $0.id == connection.id }
        if rows.apply(connection, as: role) {
            let status = connection.status.badge(texts).name
            state.announce(texts.connectionStatusAnnouncement(name: connection.shownName, status: status))
        } else if role == .receiver, let before, before.state.text != connection.state.text {
            state.announce(
                texts.connectionStatusAnnouncement(name: connection.shownName, status: connection.state.text))
        }
    }

    /// Loads the connection of a ping that is new or has changed, with what is said of it now. If that fails, nobody
    /// knows how it stands, and the screen is to be loaded again.
    func loadConnection(of ping: Kith.Ping) async {
        guard let row = rows.connections.first(where: { $0.id == ping.connectionID }) else { return }
        do {
            apply(try await calls.connection(row.id))
        } catch {
            rows.forget(row.id, since: calls.now, texts)
            if !(error is CancellationError) { state.wantLoad(after: error, texts, at: calls.now) }
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
