/// A timer of an ``EventLoop``. It fires once.
public final class LoopTimer {
    let deadline: ContinuousClock.Instant
    private var body: (() -> Void)?

    init(at deadline: ContinuousClock.Instant, _ body: @escaping () -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Keeps the timer from firing. Its place in the heap is freed when its time comes.
    public func cancel() {
        body = nil
    }

    var isCancelled: Bool { body == nil }

    func fire() {
        let body = self.body
        self.body = nil
        body?()
    }
}

/// The timers of a loop as a binary heap, the next one first.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    /// The deadline of the next timer that is not cancelled.
    var next: ContinuousClock.Instant? {
        mutating get {
            while let first = timers.first, first.isCancelled { removeFirst() }
            return timers.first?.deadline
        }
    }

    mutating func insert(_ timer: LoopTimer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            timers.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next timer if its time has come.
    mutating func popDue(at now: ContinuousClock.Instant) -> LoopTimer? {
        guard let next, next <= now else { return nil }
        let due = timers[0]
        removeFirst()
        return due
    }

    private mutating func removeFirst() {
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].deadline < timers[smallest].deadline { smallest = child }
            }
            guard smallest != parent else { return }
            timers.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
