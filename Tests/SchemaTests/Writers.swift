import Synchronization

/// The number of writers that are still active, so that readers know when they have read everything.
final class Writers: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) {
        left = Atomic(count)
    }

    func leave() {
        left.subtract(1, ordering: .releasing)
    }

    var areGone: Bool { left.load(ordering: .acquiring) == 0 }
}
