internal import EventLoop

/// Passing requests to the handler, and sending the responses.
extension HTTPServer {
    /// The most bytes that the framing of a chunk takes: half of them before its content, half after.
    private static let chunkFraming = 32

    func handle(_ connection: ServerConnection) {
        guard let head = connection.state.request.head else { return }
        counts.requests += 1
        counts.requestsInFlight += 1
        if connection.state.request.bodyRule.isStreamed {
            connection.reader = HTTPBodyReader(loop: loop) { [unowned self, unowned connection] in
                perform(connection.state.wantsBody(), on: connection)
            }
        }
        let request = connection.request(head)
        let generation = connection.state.generation
        connection.task = loop.spawn { [self, handler] in
            answer(await handler(request), connection, generation)
        }
    }

    /// Sends the handler's response.
    private func answer(_ response: HTTPResponse, _ connection: ServerConnection, _ generation: Int) {
        let wasInFlight = connection.state.request.isInFlight
        let step = connection.state.answered(response, generation: generation, isStopping: stage == .stopping)
        if wasInFlight, !connection.state.request.isInFlight { counts.requestsInFlight -= 1 }
        perform(step, on: connection)
    }

    /// Answers a request in the place of its handler, whose response is dropped.
    func answerForHandler(_ reason: HTTPRefusal, _ connection: ServerConnection) {
        connection.task?.cancel()
        answer(refusal(reason, connection.state.request.id), connection, connection.state.generation)
    }

    /// Answers a request that breaks a rule. The connection then closes, because it is not certain where the next
    /// request begins.
    func refuse(_ reason: HTTPRefusal, _ connection: ServerConnection) {
        counts.refusals += 1
        if connection.state.refuse(makeID: { self.identifiers.next() }) {
            counts.requestsInFlight -= 1
            connection.task?.cancel()
            connection.endReader(.fail(.interrupted))
        }
        send(refusal(reason, connection.state.request.id), connection)
    }

    func send(_ response: HTTPResponse, _ connection: ServerConnection) {
        guard (100...999).contains(response.status.rawValue) else { return breakOff(connection) }
        connection.state.beginAnswer(closes: stage > .serving)
        let request = connection.state.request
        let isHead = request.head?.method == .head
        switch response.body {
        case .events(let begin) where !isHead:
            guard stage == .serving else { return refuse(.stopping, connection) }
            guard request.decoder.isDone else { return breakOff(connection) }
            let head = ResponseHead(response, .connection, date: date, id: request.id, closes: true)
            forget(connection)
            streams.begin(on: connection.descriptor, head, begin)
        case .bytes(let bytes):
            let hasBody = response.status.hasBody
            begin(response, hasBody ? .length(bytes.count) : .none, hasBody && !isHead ? bytes : [], connection)
        case .stream(let length, let produce):
            let framing = Self.framing(length, isHead: isHead, request.head)
            if response.status.hasBody, !isHead, length != 0 {
                let writer = HTTPBodyWriter(loop: loop, produce: produce) { [unowned self, unowned connection] in
                    guard connection.state.isAnswering else { return }
                    table.extend(connection, until: loop.now + configuration.idleTimeout)
                    continueSoon(connection)
                }
                connection.streamed = StreamedBody(
                    writer: writer, remaining: length, isChunked: framing == .chunked)
            }
            begin(response, response.status.hasBody ? framing : .none, [], connection)
        case .events:
            begin(response, .connection, [], connection)
        }
    }

    /// A body of unknown length is sent in chunks, except to HTTP/1.0 clients, which do not know them, and for HEAD.
    private static func framing(_ length: Int?, isHead: Bool, _ head: RequestHead?) -> ResponseHead.Framing {
        if let length { return .length(length) }
        return isHead || head?.isVersion11 != true ? .connection : .chunked
    }

    private func begin(
        _ response: HTTPResponse, _ framing: ResponseHead.Framing, _ body: [UInt8], _ connection: ServerConnection
    ) {
        if framing == .connection { connection.state.closeAfterAnswer() }
        let request = connection.state.request
        let head = ResponseHead(response, framing, date: date, id: request.id, closes: request.closes)
        connection.outgoing = Outgoing(head.bytes, body)
        table.extend(connection, until: loop.now + configuration.idleTimeout + .seconds(body.count / 4096))
        continueSending(connection)
    }

    /// Sends the pending bytes, and then those that the response's stream supplies.
    func continueSending(_ connection: ServerConnection) {
        while true {
            switch connection.outgoing.send(on: connection.descriptor) {
            case .done: break
            case .blocked:
                connection.progress.noteSending()
                return waitFor(.writable, connection)
            case .gone: return close(connection)
            }
            guard connection.state.isAnswering else {
                // The message was 100 Continue.
                return waitFor(.readable, connection)
            }
            guard connection.streamed != nil else { return finish(connection) }
            guard supply(connection) else { return }
        }
    }

    /// Takes the next bytes of a streamed body. Returns false when there are none yet, or when the connection was
    /// closed.
    private func supply(_ connection: ServerConnection) -> Bool {
        guard let streamed = connection.streamed else { return false }
        let framing = streamed.isChunked ? Self.chunkFraming : 0
        let room = min(buffer.count - framing, streamed.remaining ?? .max)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[(framing / 2)..<(framing / 2 + room)])
        switch streamed.writer.take(into: piece, canWait: stage < .stopping) {
        case .bytes(let count):
            // From now on the client must take some of these bytes within the timeout, however long the whole body may
            // take.
            table.extend(connection, until: loop.now + configuration.idleTimeout)
            connection.outgoing = streamed.isChunked ? chunk(count) : Outgoing([], Array(piece[..<count]))
            if let remaining = streamed.remaining {
                connection.streamed?.remaining = remaining - count
                if remaining == count { endStream(connection) }
            }
            return true
        case .nothing:
            table.extend(connection, until: loop.now + configuration.handlerTimeout)
            waitFor(.readable, connection)
            return false
        case .end where streamed.remaining == nil:
            if streamed.isChunked { connection.outgoing = Outgoing(Array("0\r\n\r\n".utf8)) }
            endStream(connection)
            return true
        case .end, .failure:
            breakOff(connection)
            return false
        }
    }

    /// The chunk whose content is in the buffer (RFC 9112 §7.1).
    private func chunk(_ count: Int) -> Outgoing {
        let (start, size) = (Self.chunkFraming / 2, Array("\(String(count, radix: 16))\r\n".utf8))
        buffer[(start - size.count)..<start].copyBytes(from: size)
        buffer[(start + count)..<(start + count + 2)].copyBytes(from: "\r\n".utf8)
        return Outgoing([], Array(buffer[(start - size.count)..<(start + count + 2)]))
    }

    /// Ends the stream after its last byte. The producer's further writes are dropped.
    private func endStream(_ connection: ServerConnection) {
        let writer = connection.streamed?.writer
        connection.streamed = nil
        writer?.abandon()
    }

    /// Completes a request once the kernel has taken the whole response.
    private func finish(_ connection: ServerConnection) {
        guard !connection.state.request.closes else { return close(connection) }
        connection.progress.noteAnswered()
        end(connection, by: { $0.end() })
        table.extend(connection, until: loop.now + configuration.idleTimeout)
        if connection.state.input.isEmpty { waitFor(.readable, connection) } else { continueSoon(connection) }
    }
}
