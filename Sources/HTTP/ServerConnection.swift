internal import EventLoop
internal import Glibc

/// A client's connection: its socket, and what is being received and sent on it. ``ConnectionState`` decides, and the
/// server acts.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread. The handler's task, which carries it to
/// ``HTTPServer/answer``, runs there too, and every use of it passes through `EventLoop.preconditionCurrent`.
final class ServerConnection: @unchecked Sendable {
    let descriptor: Int32
    let remoteAddress: String
    /// The index in the ``ConnectionTable``.
    var slot = 0
    var watch: Watch?
    var state = ConnectionState()
    /// The task of the handler.
    var task: Task<Void, Never>?
    /// The reader of the body, if the handler reads it as it arrives.
    var reader: HTTPBodyReader?
    var outgoing = Outgoing()
    /// The body of the current response, if it is streamed.
    var streamed: StreamedBody?
    var progress: ClientProgress

    init(descriptor: Int32, remoteAddress: String) {
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        progress = ClientProgress(descriptor: descriptor)
    }

    /// Whether input is available that was not read yet.
    var hasInput: Bool {
        if !state.input.isEmpty { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// The request: complete, or with a reader if the handler reads the body.
    func request(_ head: RequestHead) -> HTTPRequest {
        HTTPRequest(
            method: head.method, path: head.target.path, queryText: head.target.query, headers: head.headers,
            body: state.request.body, reader: reader, remoteAddress: remoteAddress, id: state.request.id,
            receivedAt: state.request.receivedAt)
    }

    /// Ends the reading of the body.
    func endReader(_ end: ConnectionState.Reader) {
        switch end {
        case .end: reader?.end()
        case .fail(let error):
            reader?.fail(error)
            reader = nil
        }
    }
}

/// The body of a response that is sent as it is produced.
struct StreamedBody {
    let writer: HTTPBodyWriter
    /// The number of bytes that the writer must still supply; nil when the body is chunked or ends with the connection.
    var remaining: Int?
    let isChunked: Bool
}
