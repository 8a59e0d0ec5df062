internal import EventLoop
internal import Glibc
internal import Logging

private let stopSignals = [SIGINT, SIGTERM]

/// Holds back the signals that ``runUntilSignalled(_:drain:)`` awaits. Otherwise a thread that starts before it would
/// take them, and end the process with requests unanswered.
func holdStopSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in stopSignals { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// Runs a loop until SIGINT or SIGTERM, then lets `drain` finish the work in progress, and returns. A second signal
/// ends the process immediately.
func runUntilSignalled(_ loop: EventLoop, drain: @escaping @Sendable () async -> Void) throws {
    var signalled = false
    let signals = try loop.onSignal(stopSignals) { signal in
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
