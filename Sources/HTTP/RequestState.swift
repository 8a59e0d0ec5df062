/// The current request of a connection, as far as it has arrived.
struct RequestState {
    /// The use of the bytes of a body.
    enum BodyUse {
        /// They are kept in memory until the body is complete.
        case keep
        /// They go to the reader of the body.
        case deliver
        case discard
    }

    /// The request's id, from the client or made by the server.
    var id = ""
    /// When the head was complete, in microseconds since 1970.
    var receivedAt: Int64 = 0
    var head: RequestHead?
    var bodyRule = HTTPBodyRule(maximum: 0)
    var decoder = BodyDecoder(length: 0)
    /// Whether the client waits for 100 Continue.
    var expectsContinue = false
    /// Whether the connection closes after the response.
    var closes = false
    /// Whether the handler has yet to answer.
    var isInFlight = false
    /// Whether the response is sent while the client may still be sending its request.
    var isAheadOfClient = false

    /// The body that is kept in memory.
    private(set) var body: [UInt8] = []
    /// The number of body bytes received.
    private(set) var bodySize = 0
    /// The number of bytes that the body's reader has got and the handler has not taken.
    var pending = 0
    /// The number of body bytes received since the client's progress was last checked.
    var progress = 0
    /// Whether the deadline is the end of an interval in which ``progress`` must reach the least that is required.
    var isTimedByProgress = false

    /// Whether the client must wait until the handler has taken what is pending.
    var isReaderFull: Bool { pending >= HTTPBodyReader.room }

    var isOversized: Bool { bodySize > bodyRule.maximum }

    /// Whether the handler gets the beginning of a body that is too long.
    var isCutOff: Bool { isOversized && bodyRule.isCutOff }

    /// Decodes a part of the body and uses it. Of a body that is longer than allowed, nothing is kept, or its beginning
    /// if it is cut off.
    ///
    /// - Returns: The number of bytes that belong to the body.
    mutating func takeBody(
        _ bytes: UnsafeRawBufferPointer, _ use: BodyUse, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(HTTPRefusal) -> Int {
        var decoder = decoder
        defer { self.decoder = decoder }
        return try decoder.decode(bytes) { piece in
            bodySize += piece.count
            progress += piece.count
            switch use {
            case .keep where isCutOff: body.append(contentsOf: piece.prefix(bodyRule.maximum - body.count))
            case .keep where isOversized: body = []
            case .keep: body.append(contentsOf: piece)
            case .deliver:
                pending += piece.count
                deliver(piece)
            case .discard: break
            }
        }
    }
}
