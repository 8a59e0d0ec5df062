import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one `URLSession`, which ends with the transport, and reads whole responses; ``StreamSession`` reads those that arrive in
/// pieces. It follows no redirection, since that would carry the access token elsewhere, and keeps no cookies and no cache.
///
/// The Foundation of Linux (swift-corelibs-foundation, Swift 6.3) has two faults that this type avoids:
/// - `data(for:)` can hang when its task is cancelled. So a delegate takes what arrives, and a caller that is cancelled does not wait for the
///   session.
/// - `cancel()` ends the process if the task is just failing, such as because the connection is refused. So a task is cancelled on the
///   delegate's queue, and only before the delegate has heard of its end. `TransportTests` cancels 500 such requests; with a plain `cancel()`
///   its process ends.
final class HTTPTransport: Sendable {
    private let session: URLSession
    private let queue: OperationQueue
    private let exchanges = Exchanges()

    /// Creates a transport that gives up when nothing arrives for `timeout` seconds.
    init(timeout: TimeInterval = 60) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and waits for the whole response.
    ///
    /// - Throws: `URLError`, or `CancellationError` if the task is cancelled.
    func send(_ request: URLRequest) async throws -> KithAnswer {
        try Task.checkCancellation()
        let task = session.dataTask(with: request)
        let answer = exchanges.add(task)
        task.resume()
        do {
            return try await answer.value()
        } catch {
            queue.addOperation { if task.state != .completed { task.cancel() } }
            throw error
        }
    }
}

/// The session's delegate: collects what arrives for each task.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Locked<[Int: Exchange]>([:])

    /// A request and its response, as far as it has arrived.
    private struct Exchange {
        let answer = Promise<KithAnswer>()
        var head: HTTPURLResponse?
        var body = Data()
    }

    /// The answer that a task will have.
    func add(_ task: URLSessionTask) -> Promise<KithAnswer> {
        let exchange = Exchange()
        running.withLock { $0[task.taskIdentifier] = exchange }
        return exchange.answer
    }

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        running.withLock { $0[dataTask.taskIdentifier]?.head = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            exchange.answer.resolve(.failure((error as? URLError)?.code == .cancelled ? CancellationError() : error))
        } else if let head = exchange.head {
            exchange.answer.resolve(.success(KithAnswer(head, exchange.body)))
        } else {
            exchange.answer.resolve(.failure(URLError(.badServerResponse)))
        }
    }
}

extension KithAnswer {
    fileprivate init(_ head: HTTPURLResponse, _ body: Data) {
        let headers = head.allHeaderFields.reduce(into: [:]) { headers, field in
            headers["\(field.key)".lowercased()] = "\(field.value)"
        }
        self.init(status: head.statusCode, headers: headers, body: body)
    }
}
