import Foundation

/// A check-in as it is kept on the device.
struct KeptCheckIn: Codable, Sendable, Equatable {
    let id: UUID
    /// Whose check-in it is. It is sent under no other person's sign-in. Nil if the item cannot be read.
    let userID: UUID?
    /// It is given up if the server refuses it, because the tap matters more.
    var note: String?
    let shareNote: Bool?
    /// Where the person was. It is given up as the note is.
    var location: Kith.Place?
    /// The moment of the tap, by the server's clock if that was known, else by the device's.
    var tappedAt: Date
    /// Whether ``tappedAt`` is by the server's clock.
    var isCorrected: Bool
    /// The device's wall clock at the tap, which people and networks set; nil if the process had heard the server, and
    /// so knew the moment by its steady clock.
    var wall: Date?
    /// A time of the server before which the tap cannot have been.
    var since: Date?
    /// The tap by the clock that nobody sets, for processes since the same start of the device.
    var steady: ContinuousClock.Instant?
    /// That start.
    var boot: String?
    /// The first try fixes what is sent: the server takes a repeat for the same check-in only if key and body are the
    /// same.
    var request: Request?
    /// Whether the server has refused ``tappedAt`` once, so that the moment is computed anew with the clock just heard.
    var hasNewMoment: Bool?
    /// Why the server does not take it. It is kept until the app has seen it.
    var refusal: KithProblem?

    struct Request: Codable, Sendable, Equatable {
        let key: String
        let body: Data
    }

    /// The moment of the tap by the clocks of a process that reads `now`; nil if the device has started anew since.
    func tap(_ now: ClockReading) -> ClockReading? {
        guard let steady, let boot, boot == now.boot else { return nil }
        return ClockReading(wall: wall ?? tappedAt, steady: steady, boot: boot)
    }

    /// The name of its item in the storage.
    var name: String { Self.name(id) }

    static func name(_ id: UUID) -> String { prefix + id.uuidString.lowercased() }

    /// The check-in whose item has this name; nil if it is the name of another item.
    static func id(_ name: String) -> UUID? {
        name.hasPrefix(prefix) ? UUID(uuidString: String(name.dropFirst(prefix.count))) : nil
    }

    static let prefix = "check-in-"
}

/// The check-ins that the server does not have yet, and the state of each. It decides; ``CheckInSender`` acts.
struct Outbox: Sendable {
    private(set) var checkIns: [KeptCheckIn] = []

    /// How a try ended.
    enum Outcome {
        case received
        case refused(KithProblem)
        /// Nothing is known, or it may go later.
        case failed
    }

    /// A change of the storage that follows from an outcome.
    enum Effect: Equatable {
        case write(KeptCheckIn)
        case remove(KeptCheckIn)
        case none
    }

    init(_ checkIns: [KeptCheckIn] = []) {
        for checkIn in checkIns { put(checkIn) }
    }

    subscript(id: UUID) -> KeptCheckIn? { checkIns.first { $0.id == id } }

    /// Adds a check-in, or takes what another process has made of it.
    mutating func put(_ checkIn: KeptCheckIn) {
        drop(checkIn.id)
        checkIns.append(checkIn)
        checkIns.sort { $0.tappedAt < $1.tappedAt }
    }

    /// Takes a check-in out, because the storage has it no more.
    mutating func drop(_ id: UUID) { checkIns.removeAll { $0.id == id } }

    /// The oldest check-in of `user` that is to be sent, except those that have just failed. The server does not need
    /// the order, so one that fails holds up no other.
    func next(of user: UUID, except failed: Set<UUID> = []) -> KeptCheckIn? {
        waiting(of: user).first { !failed.contains($0.id) }
    }

    /// The check-ins of `user` that are not sent yet.
    func waiting(of user: UUID) -> [KeptCheckIn] { checkIns.filter { $0.userID == user && $0.refusal == nil } }

    /// Fixes what is sent. `tap` is the moment of the tap by the server's clock, if the device has not started anew
    /// since.
    ///
    /// Otherwise the moment is as exact as what was known when it was kept. The wall clock may have been changed
    /// between the server's last word, the tap and now: then the earliest of the moments is claimed that the clocks
    /// give. Whoever tapped yesterday must not have tapped today.
    mutating func prepare(
        _ id: UUID, tap: Date?, now: (reading: ClockReading, server: Date, isKnown: Bool)
    ) -> KeptCheckIn? {
        guard let index = checkIns.firstIndex(where: { $0.id == id }) else { return nil }
        guard checkIns[index].request == nil else { return checkIns[index] }
        checkIns[index].tappedAt = min(tap ?? Self.moment(of: checkIns[index], now), now.server)
        checkIns[index].isCorrected = true
        checkIns[index].request = .init(key: UUID().uuidString, body: checkIns[index].body)
        return checkIns[index]
    }

    /// By how much a clock may be off before it is taken for one that was changed, in seconds.
    private static let tolerance = 60.0
    /// For how long the server takes a kept check-in, in seconds. It refuses an older one for good, and the person is
    /// told.
    private static let longest = 7 * 86400.0

    /// The moment of a tap that was kept before the device started.
    private static func moment(
        of kept: KeptCheckIn, _ now: (reading: ClockReading, server: Date, isKnown: Bool)
    ) -> Date {
        guard let wall = kept.wall else { return kept.tappedAt }
        let present = wall + now.server.timeIntervalSince(now.reading.wall)
        let moment = kept.isCorrected ? min(kept.tappedAt, present) : present
        // The clock was ahead at the tap, and nobody knows by how much.
        if moment > now.server + tolerance { return kept.since ?? now.server - longest - 3600 }
        return max(moment, kept.since ?? .distantPast)
    }

    /// Takes the outcome of a try.
    mutating func finish(_ id: UUID, _ outcome: Outcome) -> Effect {
        guard let index = checkIns.firstIndex(where: { $0.id == id }) else { return .none }
        switch outcome {
        case .failed: return .none
        case .received: return .remove(checkIns.remove(at: index))
        case .refused(let problem):
            if !checkIns[index].giveUp(problem) { checkIns[index].refusal = problem }
            return .write(checkIns[index])
        }
    }

    /// Forgets a check-in that the server refused.
    mutating func forget(_ id: UUID) -> Effect {
        guard let index = checkIns.firstIndex(where: { $0.id == id && $0.refusal != nil }) else { return .none }
        return .remove(checkIns.remove(at: index))
    }
}

extension KeptCheckIn {
    /// The note as the server takes it: at most 500 scalars (it does not count the characters that people see), without
    /// control characters other than line breaks and tabs; nil if nothing is left.
    static func note(_ text: String?) -> String? {
        let visible = (text ?? "").unicodeScalars.filter {
            $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
        }
        let trimmed = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : String(String.UnicodeScalarView(trimmed.unicodeScalars.prefix(500)))
    }

    /// Gives up what the server refuses besides the tap, or a moment that it refuses for the first time; whether there
    /// was such a thing. The body is then another one, so its key is, too.
    mutating func giveUp(_ problem: KithProblem) -> Bool {
        let isNote = note != nil && problem.isAbout("note")
        let isLocation = location != nil && problem.isAbout("location")
        let isMoment = request != nil && hasNewMoment == nil && problem.isAbout("tapped_at")
        guard isNote || isLocation || isMoment else { return false }
        if isNote { note = nil }
        if isLocation { location = nil }
        if isMoment { hasNewMoment = true }
        request = isMoment ? nil : .init(key: UUID().uuidString, body: body)
        return true
    }

    /// Reads an item. One whose form is unknown, such as that of another version of the library, is not sent, and the
    /// person is told. Its moment is `now` if that cannot be read either.
    init(_ item: Data, id: UUID, now: Date) {
        struct Rest: Decodable {
            let userID: UUID?
            let tappedAt: Date?
        }
        if let kept = try? JSONDecoder().decode(Self.self, from: item) {
            self = kept
        } else {
            let rest = try? JSONDecoder().decode(Rest.self, from: item)
            self.init(
                id: id, userID: rest?.userID, note: nil, shareNote: nil, tappedAt: rest?.tappedAt ?? now,
                isCorrected: false, refusal: .unreadable)
        }
    }

    /// The body of the request. Fractions of a second are left out, so that the moment is never after its arrival.
    var body: Data {
        struct Members: Encodable {
            let note: String?
            let share_note: Bool?
            let location: Kith.Place?
            let tapped_at: String
        }
        let members = Members(
            note: note, share_note: shareNote, location: location,
            tapped_at: Date(timeIntervalSince1970: tappedAt.timeIntervalSince1970.rounded(.down)).formatted(.iso8601))
        return (try? Kith.encoder().encode(members)) ?? Data()
    }
}

extension Outbox.Outcome {
    /// The outcome of a try that ended with `problem`. A refusal is final if the server itself says that another try
    /// cannot help, and it is about the check-in: a sign-in can end and begin again, and a suspended tenant can return.
    init(_ problem: KithProblem) {
        let isLater = problem.retryable || problem.status == nil || [401, 403].contains(problem.status)
        self = isLater || problem.code == .notFromKith ? .failed : .refused(problem)
    }
}
