import Foundation

#if canImport(BackgroundTasks) && os(iOS)
    public import BackgroundTasks
#endif
#if canImport(Network)
    import Network
#endif

extension Kith {
    /// Sends what waits on this device, check-ins and ended sign-ins, in one try each.
    ///
    /// - Returns: Whether nothing waits any more that a network could send. If it is false, ask for another turn.
    public func sendWhatWaits() async -> Bool {
        http?.wake.wake()
        await checkIns?.sendOnce()
        await http?.tryRevocations()
        guard http?.sessions.isKnown != false else { return false }
        return keptCheckIns.allSatisfy(\.isRefused) && http?.sessions.revocations.isEmpty != false
    }
}

#if canImport(BackgroundTasks) && os(iOS)
    extension Kith {
        /// Carries out a refresh in the background: sends what waits, and tells the system when it is done.
        public func handle(_ task: BGAppRefreshTask) {
            let sending = Task { task.setTaskCompleted(success: await sendWhatWaits()) }
            task.expirationHandler = { sending.cancel() }
        }
    }
#endif

#if canImport(Network)
    extension Kith {
        /// Calls ``wake()`` whenever the network returns, until the task is cancelled.
        public func wakeWithNetwork() async {
            let (changes, change) = AsyncStream.makeStream(of: Bool.self)
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { change.yield($0.status == .satisfied) }
            monitor.start(queue: DispatchQueue(label: "Kith.network"))
            defer { monitor.cancel() }
            for await isThere in changes where isThere { wake() }
        }
    }
#endif
