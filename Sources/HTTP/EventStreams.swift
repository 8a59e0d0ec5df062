internal import EventLoop

/// The clients of a server that read events.
///
/// Confined to the loop's thread: only the server of that loop has it.
final class EventStreams {
    private let loop: EventLoop
    private var streams: [Int32: HTTPEventStream] = [:]

    init(loop: EventLoop) {
        self.loop = loop
    }

    var count: Int { streams.count }

    /// Owns the client's `descriptor` from here on, sends it the head of the answer, and gives the stream to `begin`.
    func begin(on descriptor: Int32, _ head: ResponseHead, _ begin: (HTTPEventStream) -> Void) {
        let stream = HTTPEventStream(loop: loop, owning: descriptor) { [unowned self] in streams[$0.descriptor] = nil }
        streams[descriptor] = stream
        if stream.send(head.bytes) { begin(stream) }
    }

    /// Ends all of them.
    func endAll() {
        for stream in Array(streams.values) { stream.end() }
    }
}
