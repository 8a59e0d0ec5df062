internal import EventLoop
internal import Glibc
internal import Logging

/// Runs a loop until SIGINT or SIGTERM, then lets `drain` finish the work in progress, and returns. A second signal
/// ends the process immediately.
func runUntilSignalled(_ loop: EventLoop, drain: @escaping @Sendable () async -> Void) throws {
    var signalled = false
    let signals = try loop.onSignal([SIGINT, SIGTERM]) { signal in
        guard !signalled else { exit(128 + signal) }
        signalled = true
        Log.info("stopping", ["signal": "\(signal)"])
        loop.spawn {
            await drain()
            loop.stop()
        }
    }
    loop.run()
    signals.cancel()
}
