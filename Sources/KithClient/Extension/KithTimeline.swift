public import Foundation

/// What a widget shows, now and at the instants when that changes by itself.
public struct KithTimeline: Sendable, Hashable {
    /// A person who is looked after.
    public struct Person: Codable, Sendable, Hashable, Identifiable {
        /// The id of the connection.
        public let id: UUID
        /// The name that the reader has given to the person, or else the person's own.
        public let name: String
        /// How things stand with the person.
        public let state: Kith.State

        /// Creates a value from its members, such as for a preview.
        public init(id: UUID, name: String, state: Kith.State) {
            (self.id, self.name, self.state) = (id, name, state)
        }
    }

    /// The content of the widget from an instant on.
    public struct Entry: Sendable, Hashable {
        /// The instant, by the device's clock, as WidgetKit takes it.
        public let date: Date
        /// Whether somebody is signed in. If nobody is, the rest is empty.
        public let isSignedIn: Bool
        /// How the person's own day stands; nil for somebody who has nothing to check in to, and before the first
        /// answer.
        public let day: Kith.State?
        /// The people who are looked after: those who need an answer first, at most 20.
        public let people: [Person]
        /// The number of check-ins that are kept on this device. No receiver knows of them yet.
        public let waiting: Int
        /// Since when nothing was heard from the server, by its clock; nil if this is up to date. Show it.
        public let outdatedSince: Date?

        /// Creates a value from its members, such as for a preview.
        public init(
            date: Date, isSignedIn: Bool, day: Kith.State? = nil, people: [Person] = [], waiting: Int = 0,
            outdatedSince: Date? = nil
        ) {
            (self.date, self.isSignedIn, self.day, self.people) = (date, isSignedIn, day, people)
            (self.waiting, self.outdatedSince) = (waiting, outdatedSince)
        }
    }

    /// The entries, the present one first. There is always one.
    public let entries: [Entry]
    /// When to ask for the next timeline, by the device's clock.
    public let reloadsAt: Date

    /// After so many seconds without the server, nothing is known of anybody.
    private static let longest = 3600.0
    /// By how much a clock may be off before it is taken for one that was set, in seconds.
    private static let tolerance = 60.0
    /// A timeline is made anew after so many seconds, which the system's budget for widgets allows.
    private static let interval = 1800.0
    /// After a failure it is made anew sooner, in seconds.
    private static let retry = 300.0

    /// Makes a timeline of what is kept. `now` is the present time by the server's clock, `device` by the device's.
    init(
        _ kept: KeptHome?, isSignedIn: Bool, isFresh: Bool, waiting: Int, now: Date, device: Date, _ texts: KithTexts
    ) {
        func onDevice(_ instant: Date) -> Date { device + instant.timeIntervalSince(now) }
        // A time of hearing in the future comes from a clock that has been set since.
        let end = kept.map { $0.at > now + Self.tolerance ? now : $0.at + Self.longest }
        let changes = kept.map { [$0.day?.until].compactMap(\.self) + $0.people.compactMap(\.state.until) } ?? []
        let instants = [now] + Set(changes + [end].compactMap(\.self)).filter { $0 > now }.sorted()
        entries = instants.map { instant in
            let isOver = end.map { $0 <= instant } ?? false
            func shown(_ state: Kith.State) -> Kith.State {
                guard isOver, let heard = kept?.at else { return state.current(at: instant, texts) }
                return state.unknown(since: min(heard, state.until ?? heard), texts)
            }
            return Entry(
                date: onDevice(instant), isSignedIn: isSignedIn, day: kept?.day.map(shown),
                people: kept?.people.map { Person(id: $0.id, name: $0.name, state: shown($0.state)) } ?? [],
                waiting: waiting, outdatedSince: isOver || !isFresh ? kept?.at ?? now : nil)
        }
        // A moment after a change, when the server knows of it.
        let change = changes.filter { $0 > now }.min().map { onDevice($0 + 5) }
        reloadsAt = min(change ?? .distantFuture, device + (isFresh || !isSignedIn ? Self.interval : Self.retry))
    }
}
