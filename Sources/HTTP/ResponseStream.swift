/// What libmicrohttpd keeps for an answer whose body is streamed, and hands back when it wants bytes.
final class ResponseStream {
    let server: HTTPServer
    let connection: ServerConnection
    let writer: HTTPBodyWriter

    init(server: HTTPServer, connection: ServerConnection, writer: HTTPBodyWriter) {
        self.server = server
        self.connection = connection
        self.writer = writer
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Unmanaged<ResponseStream> {
        guard let context else { preconditionFailure("libmicrohttpd lost a stream") }
        return Unmanaged<ResponseStream>.fromOpaque(context)
    }
}
