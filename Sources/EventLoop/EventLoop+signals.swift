internal import CLinux
internal import Glibc

extension EventLoop {
    /// Calls `handler` with the number of each of `signals` that arrives. It is ordinary code on the loop's thread, so
    /// the restrictions of signal handlers do not apply.
    ///
    /// The signals are blocked for the calling thread and for the threads that it starts, so call this before starting
    /// any.
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
