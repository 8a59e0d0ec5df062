internal import EventLoop
internal import Glibc

/// Takes a sample again and again, and shows it.
///
/// `@unchecked Sendable`: it is used only on the loop's thread: by the task that runs there, and by handlers of
/// signals.
final class TopView: @unchecked Sendable {
    private let loop: EventLoop
    private let source: TopSource
    /// Nil to print one screen.
    private let terminal: Terminal?
    private let interval: Duration
    private var shown: TopScreen?

    init(loop: EventLoop, source: TopSource, terminal: Terminal?, interval: Duration) {
        self.loop = loop
        self.source = source
        self.terminal = terminal
        self.interval = interval
    }

    /// Shows a screen at each interval; without a terminal it prints one and returns.
    ///
    /// - Throws: ``CommandError`` when the database refuses to answer.
    func run() async throws {
        while true {
            let sample = try await source.sample()
            shown = TopScreen(sample: sample, earlier: shown?.sample, metrics: source.metrics)
            draw()
            if terminal == nil { return }
            do { try await loop.sleep(for: interval) } catch { return }
        }
    }

    /// Shows the last sample again, in the terminal's size of now.
    func draw() {
        guard let shown else { return }
        guard let terminal else { return print(shown.lines(width: .max, height: .max).joined(separator: "\n")) }
        let size = Terminal.size
        terminal.show(shown.lines(width: size.columns, height: size.lines))
    }
}
