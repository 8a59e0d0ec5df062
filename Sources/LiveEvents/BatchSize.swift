/// How many events are read at once. A busy database may take longer for many than it is given, and a reader that asked
/// for as many again would never get on. It is a pure value.
struct BatchSize {
    /// A read that took no longer leaves room for twice as many.
    private static let quick = Duration.seconds(1)
    /// The least that a failure leads to, unless that fails too, and up to which any success leads. A database that is
    /// away, or busy with others, makes reads fail as well, and would then be asked more often than necessary.
    private static let least = 10

    private let most: Int
    private(set) var count: Int

    /// Begins with `first`, or with the most.
    init(most: Int, first: Int? = nil) {
        self.most = most
        count = first ?? most
    }

    /// Notes that a read succeeded, and how long it took.
    mutating func note(success duration: Duration) {
        if duration <= Self.quick || count < Self.least { count = min(count * 2, most) }
    }

    /// Notes that a read failed.
    mutating func noteFailure() {
        count = count > Self.least ? max(count / 4, Self.least) : 1
    }
}
