public import Foundation
public import Observation

/// The rows of a dashboard: a value that the first answer fills and that events change.
public struct DashboardRows: Sendable, Hashable {
    /// The connections, the oldest first. Removed ones are not among them.
    public private(set) var connections: [Kith.Connection]
    /// The open alarms of the person, without which nothing says that somebody is safe.
    public let alarms: [Kith.OpenAlarm]

    /// Creates rows from the connections of an answer, and the open alarms.
    public init(_ connections: [Kith.Connection] = [], alarms: [Kith.OpenAlarm] = []) {
        (self.connections, self.alarms) = (connections.filter { $0.status != .deleted }, alarms)
    }

    /// What a receiver reads of a connection; nil while there is nothing to say.
    public func sentence(of connection: Kith.Connection, _ texts: KithTexts = .english) -> String? {
        connection.sentence(alarms: alarms, texts)
    }

    /// How a screen shows today in a connection; nil while there is nothing to show.
    public func badge(of connection: Kith.Connection, _ texts: KithTexts = .english) -> StatusBadge? {
        connection.badge(alarms: alarms, texts)
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
        if connections[index].missedPing?.id != miss?.id { connections[index].missedPingResolution = nil }
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

    let calls: ScreenCalls

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
            // After the connections: an alarm that opens between the two is not missed.
            let connections = try await calls.dashboard(role)
            return (connections, role == .receiver ? try await calls.home().alarms : [])
        } then: { connections, alarms in
            rows = DashboardRows(connections, alarms: alarms)
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
            let sentence = rows.sentence(of: connection, texts)
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
            if !(error is CancellationError) { state.wantLoad(at: calls.now) }
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
    /// What a receiver reads: first an open call for help or a question that nobody has answered, then a miss that
    /// nobody has answered, which no new day hides, with what a receiver has said of it, then today. Nil while there is
    /// nothing to say, and for the sender. Only a completed ping says that the sender checked in, and none does beside
    /// an alarm.
    /// `alarms` are the open alarms of the receiver, as `GET /v1/home` has them.
    public func sentence(alarms: [Kith.OpenAlarm], _ texts: KithTexts = .english) -> String? {
        guard role == .receiver, status != .pending else { return nil }
        if let alarm = urgent(of: alarms) { return alarm.kind.title(name: shownName, texts) }
        if let missedPing {
            let isToday = missedPing.date == todayPing?.date
            let miss =
                isToday
                ? texts.checkInSeenMissed(name: shownName)
                : texts.checkInSeenMissedOn(name: shownName, date: missedPing.date.formatted(texts))
            guard let said = missedPingResolution else { return miss }
            return "\(miss) \(said.sentence(toSender: false, in: .current, texts))"
        }
        return switch todayPing?.status {
        // "Safe" is not said while a newer question waits for its answer.
        case .completedLate where todayPing?.isToldLate == true && askedUntil == nil:
            texts.checkInSeenLate(name: shownName)
        case .completed, .completedLate: texts.checkInSeenCompleted(name: shownName)
        case .missed: texts.checkInSeenMissed(name: shownName)
        default: nil
        }
    }

    /// How a screen shows today, in the order of ``sentence(alarms:_:)``. Nil while there is nothing to show.
    public func badge(alarms: [Kith.OpenAlarm], _ texts: KithTexts = .english) -> StatusBadge? {
        guard status != .pending else { return nil }
        if let alarm = urgent(of: alarms) {
            return StatusBadge(alarm.kind.title(name: shownName, texts), .error, "exclamationmark.triangle.fill")
        }
        return missedPing == nil ? todayPing?.badge(texts) : Kith.PingStatus.missed.badge(texts)
    }

    /// The sender's open call for help, or else a question that they have not answered, or else another alarm of which
    /// no miss in this connection tells.
    private func urgent(of alarms: [Kith.OpenAlarm]) -> Kith.OpenAlarm? {
        guard role == .receiver else { return nil }
        let theirs = alarms.filter {
            $0.role == .receiver && $0.sender.id == senderID && $0.status != .resolved && $0.kind != .drill
        }
        return theirs.first { $0.kind == .help } ?? theirs.first { $0.kind == .unanswered }
            ?? (missedPing == nil ? theirs.first : nil)
    }
}

extension Kith.MissedPingResolution {
    /// Who said what and when, beside the miss that goes on.
    func sentence(toSender: Bool, in zone: TimeZone, _ texts: KithTexts) -> String {
        var style = Date.FormatStyle(date: .abbreviated, time: .shortened, locale: Locale(identifier: texts.language))
        style.timeZone = zone
        let (name, time) = (by?.displayName ?? texts.alarmAnotherReceiver, at.formatted(style))
        let sentence =
            switch (outcome, toSender) {
            case (.helpCalled, true): texts.checkInSaidHelpCalled(name: name, time: time)
            case (.helpCalled, false): texts.checkInSeenSaidHelpCalled(name: name, time: time)
            case (_, true): texts.checkInSaidSafe(name: name, time: time)
            case (_, false): texts.checkInSeenSaidSafe(name: name, time: time)
            }
        // "another receiver" begins the sentence.
        return sentence.prefix(1).uppercased() + sentence.dropFirst()
    }
}

extension Kith.Ping {
    /// Whether it was completed after somebody had been told of the miss. "Late" is said of no other.
    var isToldLate: Bool { status == .completedLate && toldAt != nil }

    /// How a screen shows the ping.
    public func badge(_ texts: KithTexts = .english) -> StatusBadge {
        let shown = status == .completedLate && !isToldLate ? Kith.PingStatus.completed : status
        return shown.badge(texts)
    }
}
