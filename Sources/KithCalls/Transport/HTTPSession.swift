package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Takes the response to one request. The session calls it from one thread at a time.
package protocol ResponseReceiver: AnyObject, Sendable {
    /// The head has arrived.
    func arrived(_ response: HTTPURLResponse)
    /// Bytes of the body have arrived. A narrow session reads no further until the function returns.
    func arrived(_ bytes: Data)
    /// So many bytes of the request's body have been sent.
    func sent(_ count: Int64)
    /// The response is complete, or the connection has ended.
    func ended(_ error: (any Error)?)
}

/// The file that is the body of a request.
package struct Upload: Sendable {
    #if canImport(FoundationNetworking)
        /// What the file holds.
        let content: Data
    #else
        let file: URL
    #endif

    /// Reads the file on Linux. Elsewhere the session reads it.
    ///
    /// - Throws: An error of the file system.
    package init(_ file: URL) throws {
        #if canImport(FoundationNetworking)
            content = try Data(contentsOf: file)
        #else
            self.file = file
        #endif
    }
}

/// A `URLSession` whose requests have a receiver each. It follows no redirection, since that would carry the access
/// token elsewhere, and keeps no cookies and no cache.
///
/// The Foundation of Linux (swift-corelibs-foundation, Swift 6.3) has faults that this type avoids:
/// - `data(for:)` can hang when its task is cancelled. So a delegate takes what arrives.
/// - `cancel()` at any moment can end the process if the task is just failing, such as because the connection is
///   refused. ``cancel(_:)`` cancels a task on the delegate's queue, before the delegate has heard of its end. Why that
///   helps is not known, only that `TransportTests` cancels a thousand such requests, of which a plain `cancel()`
///   survives a few hundred.
/// - `cancel()` waits for the queue that reads the sockets, which waits for the delegate if that is slow. So the latter
///   wait ends when the former begins. That lasts for seconds if much arrives, and ``DelegateQueue`` keeps none of it.
/// - An upload from a file reads it beside the request. A read that ends after `cancel()` resumes a transfer that is
///   gone, which ends the process (`try!` in `unpauseSend()`). So a file is read into memory before it is sent.
package final class HTTPSession: Sendable {
    private let session: URLSession
    private let queue: DelegateQueue
    private let delegate = SessionDelegate()

    /// Creates a session that gives up when nothing arrives for `timeout` seconds.
    ///
    /// If `isNarrow`, it reads no faster than the receiver takes, and serves one request at a time.
    package init(timeout: TimeInterval = 60, isNarrow: Bool = false) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        queue = DelegateQueue(isNarrow: isNarrow)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// A request that is not sent yet. `upload` is its body if there is one.
    package func task(for request: URLRequest, uploading upload: Upload? = nil) -> URLSessionTask {
        guard let upload else { return session.dataTask(with: request) }
        var request = request
        request.httpBody = nil
        #if canImport(FoundationNetworking)
            return session.uploadTask(with: request, from: upload.content)
        #else
            return session.uploadTask(with: request, fromFile: upload.file)
        #endif
    }

    /// Sends a request. `receiver` is asked for its receiver whenever something arrives, and gives nil if nobody wants
    /// it any more.
    package func start(_ task: URLSessionTask, receiver: @escaping @Sendable () -> (any ResponseReceiver)?) {
        queue.narrow()
        delegate.add(task, receiver)
        task.resume()
    }

    /// Calls `action` when a request that was sent has ended, or at once if it has.
    package func whenEnded(_ task: URLSessionTask, _ action: @escaping @Sendable () -> Void) {
        delegate.whenEnded(task, action)
    }

    /// Cancels a request, unless it has ended.
    package func cancel(_ task: URLSessionTask) {
        queue.addCancellation { if task.state != .completed { task.cancel() } }
    }
}

/// Hands what arrives to the receiver of its task.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange: Sendable {
        let receiver: @Sendable () -> (any ResponseReceiver)?
        var onEnd: @Sendable () -> Void = {}
    }

    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ task: URLSessionTask, _ receiver: @escaping @Sendable () -> (any ResponseReceiver)?) {
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(receiver: receiver) }
    }

    func whenEnded(_ task: URLSessionTask, _ action: @escaping @Sendable () -> Void) {
        let hasEnded = exchanges.withLock { exchanges in
            exchanges[task.taskIdentifier]?.onEnd = action
            return exchanges[task.taskIdentifier] == nil
        }
        if hasEnded { action() }
    }

    private func receiver(of task: URLSessionTask) -> (any ResponseReceiver)? {
        exchanges.withLock { $0[task.taskIdentifier] }?.receiver()
    }

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { receiver(of: dataTask)?.arrived(response) }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receiver(of: dataTask)?.arrived(data)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didSendBodyData _: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend _: Int64
    ) {
        receiver(of: task)?.sent(totalBytesSent)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.onEnd()
        exchange.receiver()?.ended((error as? URLError)?.code == .cancelled ? CancellationError() : error)
    }
}
