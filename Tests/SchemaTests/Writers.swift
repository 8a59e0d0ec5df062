import Synchronization

/// The number of writers that are still active, so that other tasks know when to stop.
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
