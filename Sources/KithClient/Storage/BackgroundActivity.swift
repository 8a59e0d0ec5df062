import Foundation

#if os(iOS) || os(watchOS) || os(tvOS) || os(visionOS)
    /// Asks the system not to suspend the process while it holds a lock: it ends a suspended process that holds the
    /// lock of a shared file (0xdead10cc).
    final class BackgroundActivity: Sendable {
        private let done = DispatchSemaphore(value: 0)

        /// - Parameter expire: Frees the lock when the system does not wait any longer.
        init(expire: @escaping @Sendable () -> Void) {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "Kith's sign-in") { [done] isExpired in
                // The system calls this a second time, with true, while the first call waits.
                if isExpired { expire() } else { done.wait() }
            }
        }

        /// The lock is free.
        func end() { done.signal() }
    }
#else
    /// Nothing, where the system suspends no process.
    struct BackgroundActivity {
        init(expire _: @escaping @Sendable () -> Void) {}

        func end() {}
    }
#endif
