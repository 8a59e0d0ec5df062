import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one `URLSession`, which ends with the transport. It follows no redirection, since that would carry the access token
/// elsewhere, and keeps no cookies and no cache.
///
/// The Foundation of Linux (swift-corelibs-foundation, Swift 6.3) has faults that this type avoids; `TransportTests` shows each:
/// - `bytes(for:)` is absent, and `data(for:)` can hang when its task is cancelled. So a delegate takes what arrives, and a caller that is
///   cancelled does not wait for the session.
/// - `cancel()` ends the process if the task is just failing, such as because the connection is refused. So a task is cancelled on the
///   delegate's queue, and only before the delegate has heard of its end.
/// - `suspend()` and `resume()` send the request again. So there a slow reader cannot hold the server up.
/// - While a request waits on a new connection, the session takes a whole processor: it is told without pause that the socket takes bytes.
///   On a connection that served a request before, it is not. So ``HTTPCaller/open(_:)`` sends a short request before one whose response
///   is a stream.
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

    /// Sends a request and waits for the head of the response. `file` is sent as the body, and `onProgress` gets the number of its bytes that
    /// have been sent.
    ///
    /// - Throws: `URLError`, or `CancellationError` if the task is cancelled.
    func open(
        _ request: URLRequest, uploading file: URL? = nil, onProgress: (@Sendable (Int64) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let task = file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
        let exchange = Exchange(task, onProgress: onProgress, on: queue)
        exchanges.add(exchange, task)
        task.resume()
        do {
            return HTTPResponse(try await exchange.head.value(), exchange)
        } catch {
            exchange.cancel()
            throw error
        }
    }

    /// Sends a request and waits for the whole response.
    ///
    /// - Throws: `URLError`, or `CancellationError` if the task is cancelled.
    func send(_ request: URLRequest) async throws -> KithAnswer {
        try await open(request).whole()
    }
}

/// A response whose body arrives piece by piece. The request ends when its last reader lets go of the response.
struct HTTPResponse: Sendable, AsyncSequence {
    let status: Int
    /// The header fields, by lower-case name.
    let headers: [String: String]
    private let exchange: Exchange

    fileprivate init(_ head: HTTPURLResponse, _ exchange: Exchange) {
        status = head.statusCode
        headers = head.allHeaderFields.reduce(into: [:]) { headers, field in
            headers["\(field.key)".lowercased()] = "\(field.value)"
        }
        self.exchange = exchange
    }

    /// The pieces of the body. There is one reader at a time.
    ///
    /// `next()` throws `URLError` if the response is cut off, and `CancellationError` if the task is cancelled.
    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let exchange: Exchange

        func next() async throws -> Data? { try await exchange.next() }
    }

    /// Reads the body to its end.
    func whole() async throws -> KithAnswer {
        var body = Data()
        for try await piece in self { body.append(piece) }
        return KithAnswer(status: status, headers: headers, body: body)
    }
}

/// One request and its response, as far as it has arrived.
private final class Exchange: Sendable {
    let head = Promise<HTTPURLResponse>()
    private let task: URLSessionTask
    private let onProgress: (@Sendable (Int64) -> Void)?
    private let queue: OperationQueue
    private let body = Locked(Body())

    private struct Body {
        var received = Data()
        var end: Result<Void, any Error>?
        var reader: Promise<Void>?
        var isSuspended = false
    }

    /// The bytes that may wait for a slow reader before the server has to wait too.
    private static let most = 1 << 20

    init(_ task: URLSessionTask, onProgress: (@Sendable (Int64) -> Void)?, on queue: OperationQueue) {
        self.task = task
        self.onProgress = onProgress
        self.queue = queue
    }

    deinit { Self.cancel(task, on: queue) }

    func sent(_ bytes: Int64) { onProgress?(bytes) }

    func receive(_ data: Data) {
        change { body in
            body.received.append(data)
            #if !canImport(FoundationNetworking)
                if body.received.count > Self.most, !body.isSuspended {
                    body.isSuspended = true
                    task.suspend()
                }
            #endif
        }
    }

    func end(_ error: (any Error)?) {
        let error = error.map { ($0 as? URLError)?.code == .cancelled ? CancellationError() : $0 }
        head.resolve(.failure(error ?? URLError(.badServerResponse)))
        change { $0.end = $0.end ?? error.map { .failure($0) } ?? .success(()) }
    }

    func cancel() { Self.cancel(task, on: queue) }

    /// Cancels a task, unless its delegate has heard of its end (see ``HTTPTransport``).
    private static func cancel(_ task: URLSessionTask, on queue: OperationQueue) {
        queue.addOperation { if task.state != .completed { task.cancel() } }
    }

    private func change(_ act: (inout Body) -> Void) {
        body.withLock { body in
            act(&body)
            return body.reader.take()
        }?.resolve(.success(()))
    }

    /// What has arrived since the last call; nil at the end.
    func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            let arrived: (data: Data?, reader: Promise<Void>)? = try body.withLock { body in
                if !body.received.isEmpty {
                    defer { body.received = Data() }
                    if body.isSuspended { task.resume() }
                    body.isSuspended = false
                    return (body.received, Promise())
                }
                if let end = body.end {
                    try end.get()
                    return nil
                }
                let reader = body.reader ?? Promise()
                body.reader = reader
                return (nil, reader)
            }
            guard let arrived else { return nil }
            if let data = arrived.data { return data }
            try await arrived.reader.value()
        }
    }
}

/// The session's delegate: gives each exchange what arrives for it.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Locked<[Int: Weak]>([:])

    /// Does not keep the exchange, so that it ends with its last reader.
    private struct Weak {
        weak var exchange: Exchange?
    }

    func add(_ exchange: Exchange, _ task: URLSessionTask) {
        running.withLock { $0[task.taskIdentifier] = Weak(exchange: exchange) }
    }

    private subscript(_ task: URLSessionTask) -> Exchange? {
        running.withLock { $0[task.taskIdentifier]?.exchange }
    }

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = response as? HTTPURLResponse { self[dataTask]?.head.resolve(.success(head)) }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.receive(data)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didSendBodyData _: Int64, totalBytesSent sent: Int64,
        totalBytesExpectedToSend _: Int64
    ) {
        self[task]?.sent(sent)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier)?.exchange }?.end(error)
    }
}
