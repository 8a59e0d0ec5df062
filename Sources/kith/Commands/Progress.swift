internal import Glibc

/// How far a long command has come, on standard error: one line that changes on a terminal, otherwise a line every ten
/// seconds.
struct Progress {
    private let all: Int
    private let what: String
    private let began = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = ContinuousClock.now
    private(set) var rows = 0
    private(set) var bytes = 0

    /// `all` is the number of rows, which may be an estimate.
    init(of all: Int, doing what: String) {
        self.all = all
        self.what = what
    }

    mutating func add(rows: Int, bytes: Int = 0) {
        self.rows += rows
        self.bytes += bytes
        guard .now - shown >= (isTerminal ? .milliseconds(200) : .seconds(10)) else { return }
        shown = .now
        let rate = Double(self.rows) / ((shown - began) / .seconds(1))
        let left = rate > 0 ? Int(Double(max(all - self.rows, 0)) / rate) : 0
        let size = self.bytes > 0 ? ", \(self.bytes >> 20) MiB" : ""
        let line = "\(what): \(self.rows) of \(all) rows\(size), \(Int(rate)) a second, \(left) s left"
        standardError(isTerminal ? "\r\(line)\u{1b}[K" : line, terminator: isTerminal ? "" : "\n")
    }

    /// Ends the line.
    func end() {
        if isTerminal { standardError("\r\u{1b}[K", terminator: "") }
    }
}
