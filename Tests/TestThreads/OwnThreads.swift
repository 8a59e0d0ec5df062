import Dispatch
import Foundation
import Synchronization

/// Runs each task that is ready on a thread that no other task blocks.
///
/// Dispatch is no replacement. Its concurrent queues have as few threads as the machine has processors, and get more
/// only once a second, when most of them are found blocked. All its queues together have at most 255.
package final class OwnThreads: TaskExecutor {
    /// The executor of all tests that may block.
    package static let shared = OwnThreads()

    /// The threads that have nothing to do.
    private let idle = Mutex<[Worker]>([])

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let worker = idle.withLock({ $0.popLast() }) {
            worker.run(job)
        } else {
            let worker = Worker()
            worker.run(job)
            Thread.detachNewThread { [self] in
                while true {
                    worker.nextJob().runSynchronously(on: asUnownedTaskExecutor())
                    idle.withLock { $0.append(worker) }
                }
            }
        }
    }

    /// The job that a thread is to run next.
    private final class Worker: Sendable {
        private let job = Mutex<UnownedJob?>(nil)
        private let isGiven = DispatchSemaphore(value: 0)

        func run(_ next: UnownedJob) {
            job.withLock { $0 = next }
            isGiven.signal()
        }

        /// Waits for a job.
        func nextJob() -> UnownedJob {
            while true {
                isGiven.wait()
                if let next = job.withLock({ $0.take() }) { return next }
            }
        }
    }
}
