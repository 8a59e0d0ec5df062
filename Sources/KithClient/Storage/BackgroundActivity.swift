import Foundation

#if os(iOS) || os(watchOS) || os(tvOS) || os(visionOS)
    /// Asks the system not to suspend the process while it holds a lock: it ends a suspended process that holds the
    /// lock of a shared file (0xdead10cc).
    final class BackgroundActivity: Sendable {
        private let done = DispatchSemaphore(value: 0)

        /// Waits for the system's answer; nil if it does not let the process work any more.
        ///
        /// - Parameter onExpiry: Frees the lock when the system does not wait any longer. What is sent without it is
        ///   harmless: the server takes a repeat of the same request once.
        init?(onExpiry: @escaping @Sendable () -> Void) {
            let (answered, isGranted) = (DispatchSemaphore(value: 0), Locked(false))
            ProcessInfo.processInfo.performExpiringActivity(withReason: "Kith") { [done] isExpired in
                // The system calls this with false when the activity begins, and with true if it is refused, or ends
                // while the first call waits.
                if isExpired {
                    if isGranted.withLock({ $0 }) { onExpiry() } else { answered.signal() }
                } else {
                    isGranted.withLock { $0 = true }
                    answered.signal()
                    done.wait()
                }
            }
            _ = answered.wait(timeout: .now() + 1)
            guard isGranted.withLock({ $0 }) else {
                // If the answer is only late, it finds that the work is over.
                done.signal()
                return nil
            }
        }

        /// The lock is free.
        func end() { done.signal() }
    }
#else
    /// Nothing, where the system suspends no process.
    struct BackgroundActivity {
        init?(onExpiry _: @escaping @Sendable () -> Void) {}

        func end() {}
    }
#endif
