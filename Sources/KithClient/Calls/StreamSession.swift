import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A URL session whose responses are read in pieces.
///
/// A session has one queue on Linux, which stops while a reader is slow, so it serves one stream at a time. Sessions are kept and used again:
/// on Linux, a session that is invalidated may crash the process.
///
/// `@unchecked Sendable`: the lock guards the state.
final class StreamSession: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private static let idle = Idle()

    private final class Idle: @unchecked Sendable {
        private let lock = NSLock()
        private var sessions: [StreamSession] = []

        func take() -> StreamSession {
            lock.withLock { sessions.popLast() } ?? StreamSession()
        }

        func put(_ session: StreamSession) {
            lock.withLock { sessions.append(session) }
        }
    }

    private let lock = NSLock()
    /// The delegate outlives each stream: a reader that goes away ends its connection.
    private weak var stream: ByteStream?
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        return URLSession(configuration: configuration, delegate: self, delegateQueue: NarrowQueue())
    }()

    /// Sends a request, with the content of `file` as its body if there is one.
    ///
    /// `onSent` is told how many bytes of the body have been sent.
    static func send(
        _ request: URLRequest, file: URL? = nil, onSent: (@Sendable (Int64) -> Void)? = nil
    ) -> ByteStream {
        let one = idle.take()
        var request = request
        if file != nil { request.httpBody = nil }
        let task =
            file.map { one.session.uploadTask(with: request, fromFile: $0) } ?? one.session.dataTask(with: request)
        let stream = ByteStream(task: task, onSent: onSent)
        one.lock.withLock { one.stream = stream }
        task.resume()
        return stream
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// On Linux, a request that waits on a new connection takes a whole processor: the session is told without pause that the socket takes
    /// bytes. So `first`, a short request, is answered on the connection before.
    static func open(
        _ request: URLRequest, after first: URLRequest, file: URL? = nil, onSent: (@Sendable (Int64) -> Void)? = nil
    ) async throws -> StreamedAnswer {
        try Task.checkCancellation()
        #if canImport(FoundationNetworking)
            if file == nil {
                let short = send(first)
                _ = try await short.response()
                while try await short.next() != nil {}
            }
        #endif
        let stream = send(request, file: file, onSent: onSent)
        let response = try await stream.response()
        let headers = response.allHeaderFields.reduce(into: [String: String]()) { headers, field in
            headers["\(field.key)".lowercased()] = "\(field.value)"
        }
        return StreamedAnswer(status: response.statusCode, headers: headers, body: stream)
    }

    private var current: ByteStream? { lock.withLock { stream } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse, current?.arrived(response) == true else {
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let current else { return dataTask.cancel() }
        current.arrived(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        current?.sent(totalBytesSent)
    }

    /// Follows no redirection, which would carry the access token elsewhere.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let ended = current
        lock.withLock { stream = nil }
        // Before the reader hears of the end, so that its next request finds the connection of this one.
        Self.idle.put(self)
        ended?.ended(error)
    }
}

/// The queue on which a session calls its delegate. On Linux, it stops the session when the delegate is slow, because Foundation would keep
/// everything that arrives meanwhile: it calls `addOperation` for each piece, on the thread that reads the socket.
///
/// `@unchecked Sendable`: the semaphore has its own lock.
private final class NarrowQueue: OperationQueue, @unchecked Sendable {
    #if canImport(FoundationNetworking)
        private let places = DispatchSemaphore(value: 4)
    #endif

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if canImport(FoundationNetworking)
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            places.wait()
            super.addOperation {
                block()
                self.places.signal()
            }
        }
    #endif
}
