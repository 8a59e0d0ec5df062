internal import EventLoop

/// The event streams of a server.
///
/// Confined to the loop's thread, because only that loop's server has it.
final class EventStreams {
    private let loop: EventLoop
    private var streams: [Int32: HTTPEventStream] = [:]

    init(loop: EventLoop) {
        self.loop = loop
    }

    var count: Int { streams.count }

    /// Takes ownership of the client's `descriptor`, sends the response head, and passes the stream to `begin`.
    func begin(on descriptor: Int32, _ head: ResponseHead, _ begin: (HTTPEventStream) -> Void) {
        let stream = HTTPEventStream(loop: loop, owning: descriptor) { [unowned self] in streams[$0.descriptor] = nil }
        streams[descriptor] = stream
        if stream.send(head.bytes) { begin(stream) }
    }

    /// Ends all streams.
    func endAll() {
        for stream in Array(streams.values) { stream.end() }
    }
}
