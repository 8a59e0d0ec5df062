/// How many rows a loop takes at once. After a batch that was cancelled, since it took longer than a statement may,
/// it is half as many, until a batch passes or a single row is left. Each batch that passes doubles it again, up to
/// the usual one.
struct BatchSize {
    private let usual: Int?
    /// nil for a procedure that does everything at once.
    private(set) var rows: Int?

    init(_ usual: Int?) {
        self.usual = usual
        rows = usual
    }

    mutating func fail() {
        rows = rows.map { max($0 / 2, 1) }
    }

    mutating func succeed() {
        guard let usual, let rows else { return }
        self.rows = min(rows * 2, usual)
    }
}
