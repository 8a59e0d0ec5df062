import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Responses that are read in pieces. Each has a session of its own.
extension HTTPTransport {
    /// Sessions for responses in pieces that have no request now. They are used again: on Linux, a session that is
    /// invalidated may crash the process.
    private static let idle = Locked<[HTTPSession]>([])

    /// Sends a request and waits for the head of its response. The content of `file` is the request's body if there is
    /// one, and `onSent` is told how many bytes of it have been sent.
    ///
    /// On Linux, a request that waits on a new connection takes a whole processor: the session is told without pause
    /// that the socket takes bytes. So `first`, a short request, is answered on the connection before.
    ///
    /// - Throws: `URLError`, `CancellationError` if the task is cancelled, or an error of the file system if `file`
    ///   cannot be read.
    func open(
        _ request: URLRequest, after first: URLRequest, file: URL? = nil, onSent: (@Sendable (Int64) -> Void)? = nil
    ) async throws -> StreamedAnswer {
        try Task.checkCancellation()
        let upload = try file.map(Upload.init)
        let session = Self.idle.withLock { $0.popLast() } ?? HTTPSession(isNarrow: true)
        // The session outlives its request, also one that nobody waits for any more, and serves the next one only then.
        @Sendable func release() { Self.idle.withLock { $0.append(session) } }
        #if canImport(FoundationNetworking)
            if upload == nil {
                let (task, whole) = (session.task(for: first), WholeResponse())
                session.start(task) { whole }
                do {
                    _ = try await whole.answer.value()
                } catch {
                    session.cancel(task)
                    session.whenEnded(task, release)
                    throw error
                }
            }
        #endif
        let task = session.task(for: request, uploading: upload)
        let stream = ByteStream(session: session, task: task, onSent: onSent)
        session.start(task) { [weak stream] in stream }
        session.whenEnded(task, release)
        let response = try await stream.response()
        return StreamedAnswer(status: response.statusCode, headers: response.fields, body: stream)
    }
}
