internal import CCurl
internal import EventLoop
internal import Glibc

/// A libcurl multi handle with its connections. libcurl tells the pool which sockets it waits for and until when. The
/// loop tells libcurl which of them are ready.
///
/// Everything is called on the loop's thread. libcurl's call-backs never call libcurl again. They record what to do,
/// and the loop acts on its next turn.
final class TransferPool {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var watches: [Int32: Watch] = [:]
    /// The running transfers, by handle. The dictionary keeps them alive while libcurl has pointers to them.
    private var running: [UnsafeMutableRawPointer: RunningTransfer] = [:]
    /// The sockets of running mail transfers.
    private var mailSockets: [Int32: RunningTransfer] = [:]
    /// When libcurl wants to be called even if no socket is ready; nil for never.
    private var due: ContinuousClock.Instant?
    private var timer: (timer: LoopTimer, at: ContinuousClock.Instant)?
    private var idleSince = ContinuousClock.now
    private var isClosed = false

    /// Creates an empty pool with at most `connections` connections to each host.
    ///
    /// - Throws: ``TransferError`` when there is no memory.
    init(loop: EventLoop, connections: Int) throws(TransferError) {
        guard let made = curl_multi_init() else { throw TransferError("libcurl: no memory") }
        self.loop = loop
        multi = made
        curl_multi_on_events(made, onSocket, onTimer, Unmanaged.passUnretained(self).toOpaque())
        // Some servers take one request at a time at first, as Apple's do until they have seen a valid token. Without
        // the limit, libcurl would open a connection for each of the other requests. With it, they wait.
        curl_multi_set_number(made, CURLMOPT_MAX_HOST_CONNECTIONS, connections)
        curl_multi_set_number(made, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
        curl_multi_set_number(made, CURLMOPT_MAXCONNECTS, 128)
    }

    deinit {
        close()
    }

    var count: Int { running.count }

    /// Whether no transfer has been running for `timeout`.
    func isIdle(for timeout: Duration) -> Bool {
        running.isEmpty && ContinuousClock.now - idleSince >= timeout
    }

    /// Starts `transfer`. Its end resumes `waiter` once.
    func start(_ transfer: RunningTransfer, _ waiter: RunningTransfer.Waiter) {
        transfer.waiter = waiter
        guard !isClosed, !transfer.isCancelled else { return transfer.finish(.failure(.cancelled)) }
        running[transfer.handle] = transfer
        guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
            running[transfer.handle] = nil
            return transfer.finish(.failure(TransferError("libcurl: no memory")))
        }
    }

    /// Cancels `transfer` if it is running.
    func cancel(_ transfer: RunningTransfer) {
        guard running[transfer.handle] === transfer else { return }
        breakOff(transfer)
    }

    /// Cancels all running transfers and closes the connections.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for transfer in running.values { breakOff(transfer) }
        curl_multi_cleanup(multi)
        timer?.timer.cancel()
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }

    /// Ends a transfer before its time. libcurl completes a mail that is removed from it: it sends the mark of the
    /// mail's end, although part of the text may be missing, and blocks the loop until the server answers. So the
    /// mail's connection is shut down first.
    private func breakOff(_ transfer: RunningTransfer) {
        shutDown(transfer, Int32(SHUT_RDWR))
        end(transfer, .failure(.cancelled))
    }

    /// Removes `transfer` from libcurl first, because libcurl's pointers to it must not outlive it.
    private func end(_ transfer: RunningTransfer, _ result: Result<TransferAnswer, TransferError>) {
        curl_multi_remove_handle(multi, transfer.handle)
        running[transfer.handle] = nil
        if running.isEmpty { idleSince = .now }
        transfer.finish(result)
    }

    // MARK: - Requests from libcurl

    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        var interest: Interest = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.readable) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.writable) }
        guard !interest.isEmpty else { return forget(socket) }
        if let watch = watches[socket] {
            watch.update(interest)
        } else {
            watches[socket] = loop.watch(socket, for: interest) { [unowned self] in ready(socket, $0) }
        }
    }

    private func forget(_ socket: Int32) {
        watches.removeValue(forKey: socket)?.cancel()
    }

    fileprivate func wake(after milliseconds: Int) {
        guard milliseconds >= 0 else { return due = nil }
        let instant = ContinuousClock.now + .milliseconds(milliseconds)
        due = instant
        // libcurl moves its deadline at every step, mostly to later. A timer that fires early enough is kept, and then
        // rescheduled.
        if let timer, timer.at <= instant { return }
        timer?.timer.cancel()
        schedule(instant)
    }

    private func schedule(_ instant: ContinuousClock.Instant) {
        let made = loop.schedule(after: instant - .now) { [unowned self] in
            timer = nil
            guard let due else { return }
            guard due <= .now else { return schedule(due) }
            self.due = nil
            act(curl_socket_timeout, 0)
        }
        timer = (made, instant)
    }

    private func ready(_ socket: Int32, _ interest: Interest) {
        let bits =
            (interest.contains(.readable) ? CURL_CSELECT_IN : 0) | (interest.contains(.writable) ? CURL_CSELECT_OUT : 0)
        act(socket, bits)
    }

    /// Lets libcurl proceed, and ends the transfers that are complete.
    private func act(_ socket: Int32, _ bits: Int32) {
        var stillRunning: Int32 = 0
        curl_multi_socket_action(multi, socket, bits, &stillRunning)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = running[handle]
            else { continue }
            // The message becomes invalid with its handle, so read it first.
            let code = message.pointee.data.result
            end(transfer, transfer.result(code))
        }
    }

    // MARK: - Sockets

    /// Records a socket that was opened for a mail.
    func opened(_ socket: Int32, by transfer: RunningTransfer) {
        if transfer.isMail { mailSockets[socket] = transfer }
    }

    /// Shuts a mail transfer's sockets down: `SHUT_RD`, or `SHUT_RDWR` to send nothing more either.
    func shutDown(_ transfer: RunningTransfer, _ how: Int32) {
        for (socket, owner) in mailSockets where owner === transfer { shutdown(socket, how) }
    }

    fileprivate func closed(_ socket: Int32) -> Int32 {
        forget(socket)
        mailSockets[socket] = nil
        return Glibc.close(socket)
    }

    /// libcurl calls this to close a socket, which may be long after the transfer that opened it.
    static let onClose: curl_closesocket_callback = { owner, socket in
        guard let owner else { return 1 }
        return Unmanaged<TransferPool>.fromOpaque(owner).takeUnretainedValue().closed(socket)
    }
}

private let onSocket: curl_socket_callback = { _, socket, what, owner, _ in
    guard let owner else { return 0 }
    Unmanaged<TransferPool>.fromOpaque(owner).takeUnretainedValue().watch(socket, what)
    return 0
}

private let onTimer: curl_multi_timer_callback = { _, milliseconds, owner in
    guard let owner else { return 0 }
    Unmanaged<TransferPool>.fromOpaque(owner).takeUnretainedValue().wake(after: milliseconds)
    return 0
}
