internal import API
internal import EventLoop

/// What a server has for a cell beside the directory: the state that its loops share, and the tasks that report to the
/// cell's database.
///
/// `@unchecked Sendable`: used on the first loop's thread.
final class ServedCell: @unchecked Sendable {
    let state: SharedState
    private let name: String
    private var task: Task<Void, Never>?

    init(_ name: String, _ state: SharedState) {
        self.name = name
        self.state = state
    }

    /// Sends heartbeats and counts of requests to the cell, once its database has proved on every loop to be the one in
    /// the map. Does nothing if it does so already.
    func start(_ first: ServerLoop, _ others: [ServerLoop]) {
        guard task == nil else { return }
        task = first.loop.spawn { [name] in
            var apis: [APIServer] = []
            while !Task.isCancelled {
                apis = await Self.apis(of: name, [first] + others)
                if apis.count == others.count + 1 { break }
                try? await first.loop.sleep(for: .seconds(1))
            }
            guard !Task.isCancelled, let api = apis.first else { return }
            let rest = Array(apis.dropFirst())
            await withTaskGroup { group in
                group.addTask(executorPreference: first.loop) { await api.beat(on: first.loop, with: rest) }
                group.addTask(executorPreference: first.loop) { await api.recordUsage(with: rest) }
            }
            // The task is cancelled, and a query of a cancelled task would not be sent.
            await Task(executorPreference: first.loop) { await api.endBeating() }.value
        }
    }

    /// Ends the tasks, and records in the cell that the server has stopped.
    func stop() async {
        task?.cancel()
        await task?.value
    }

    private static func apis(of cell: String, _ parts: [ServerLoop]) async -> [APIServer] {
        var apis: [APIServer] = []
        for part in parts {
            let api = await withTaskExecutorPreference(part.loop) { part.router.cells.api(of: cell) }
            if let api { apis.append(api) }
        }
        return apis
    }
}
