import Dispatch

/// Runs tasks on threads of its own, so that they go on while other tests block the threads of the shared pool.
final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "own threads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
