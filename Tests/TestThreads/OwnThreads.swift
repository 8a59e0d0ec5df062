import Dispatch

/// Runs tasks on as many threads as they block.
package final class OwnThreads: TaskExecutor {
    /// The executor of all tests that may block.
    package static let shared = OwnThreads()

    private let queue = DispatchQueue(label: "tests that may block", attributes: .concurrent)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
