internal import CLinux
internal import Glibc

extension EventLoop {
    /// Calls `handler` with the number of each of `signals` that arrives, on the loop's thread and as ordinary code: nothing of the
    /// rules for signal handlers applies.
    ///
    /// The signals are blocked for the calling thread and those it starts; call this before starting any.
    ///
    /// - Throws: `EventLoopError` when the process has no descriptors left.
    public func onSignal(
        _ signals: [Int32], _ handler: @escaping (Int32) -> Void
    ) throws(EventLoopError) -> Watch {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let descriptor = signalfd(-1, &set, kith_signalfd_flags)
        guard descriptor >= 0 else { throw EventLoopError(call: "signalfd", code: errno) }
        return watch(descriptor, for: .readable) { _ in
            var information = signalfd_siginfo()
            while read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {
                handler(Int32(bitPattern: information.ssi_signo))
            }
        }
    }
}
