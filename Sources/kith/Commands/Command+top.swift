internal import EventLoop
internal import Glibc
internal import Synchronization

extension Command {
    static let top = Command(
        name: "top", usage: "[--once] [--interval SECONDS]",
        summary:
            """
            Shows live what is due, late and in the way; q ends it. --once prints one screen, as it also does when \
            the output is no terminal.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        let once = arguments.flag("once")
        let interval = try arguments.option("interval") ?? "5"
        try arguments.finish()
        guard let seconds = Int(interval), (1...3600).contains(seconds) else {
            throw CommandError("--interval \(interval) is not a number of seconds from 1 to 3600", status: 64)
        }
        let loop = try EventLoop()
        let source = try TopSource(
            loop: loop, session: Database(configuration).session(), metrics: configuration.metricsListen)
        let terminal = once ? nil : Terminal()
        let view = TopView(loop: loop, source: source, terminal: terminal, interval: .seconds(seconds))
        let failure = Mutex<(any Error)?>(nil)
        let signals = try loop.onSignal([SIGINT, SIGTERM, SIGHUP, SIGWINCH]) { signal in
            if signal == SIGWINCH { view.draw() } else { loop.stop() }
        }
        let keys = terminal.map { terminal in
            loop.watch(STDIN_FILENO, for: .readable) { _ in
                let keys = terminal.keys()
                // Nothing to read means that the terminal is gone.
                if keys.isEmpty || keys.contains(UInt8(ascii: "q")) { loop.stop() }
            }
        }
        loop.spawn {
            do { try await view.run() } catch { failure.withLock { $0 = error } }
            loop.stop()
        }
        loop.run()
        keys?.cancel()
        signals.cancel()
        terminal?.restore()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
