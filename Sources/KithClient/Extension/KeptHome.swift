import Foundation

/// The person's day and the people whom they look after, as an extension last heard of them.
struct KeptHome: Codable, Sendable {
    /// The name of its item in the storage.
    static let name = "home"
    let userID: UUID
    /// When the server said it, by its clock.
    let at: Date
    let day: Kith.State?
    let people: [KithTimeline.Person]
}

extension KeptHome {
    /// More people than a widget shows.
    private static let most = 20

    init(_ home: Kith.Home, at: Date) {
        (userID, self.at, day) = (home.me.id, at, home.state)
        let connections = home.receiver?.dashboard.items.filter { [.active, .paused].contains($0.status) } ?? []
        let all = connections.map { KithTimeline.Person(id: $0.id, name: $0.shownName, state: $0.state) }
        // Whoever needs an answer comes first; the others keep the server's order.
        people = Array((all.filter(\.state.asks) + all.filter { !$0.state.asks }).prefix(Self.most))
    }
}
