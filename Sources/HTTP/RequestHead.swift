internal import Glibc

/// The first line and the header fields of a request (RFC 9112 §2 to §5).
struct RequestHead {
    private(set) var method = HTTPMethod.get
    private(set) var target = RequestTarget()
    /// Whether the client speaks HTTP/1.1 or a later HTTP/1 version.
    private(set) var isVersion11 = true
    private(set) var headers = HTTPHeaders()
    private(set) var fieldCount = 0

    /// Reads a complete head. `bytes` begins with the first line and ends with the empty line, and each line ends with
    /// CRLF.
    ///
    /// The parser is strict wherever two readers of one request may differ: white space before a colon, folded lines, a
    /// stray CR or NUL, more than one space in the first line. If a proxy read such a request differently, requests
    /// could be smuggled past it (RFC 9112 §11.2).
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumURI: Int) throws(HTTPRefusal) {
        var lines = Lines(bytes: bytes)
        try readFirstLine(lines.next(), maximumURI)
        // Packed, a field takes 4 bytes more than on the wire; this is enough for 32 fields.
        headers.reserve(bytes.count + 128)
        while case let line = lines.next(), !line.isEmpty { try readField(line) }
    }

    private mutating func readFirstLine(_ line: UnsafeBufferPointer<UInt8>, _ maximumURI: Int) throws(HTTPRefusal) {
        let space = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space), first < last else {
            throw .malformed(reason: "The first line is not that of a request.")
        }
        guard last - first - 1 <= maximumURI else { throw .uriTooLong(limit: maximumURI) }
        let name = UnsafeBufferPointer(rebasing: line[..<first])
        guard !name.isEmpty, name.allSatisfy(HTTPHeaders.isTokenByte) else {
            throw .malformed(reason: "The method is not a token.")
        }
        method = HTTPMethod(rawValue: String(decoding: name, as: UTF8.self))
        try readVersion(line[(last + 1)...])
        target = RequestTarget(UnsafeBufferPointer(rebasing: line[(first + 1)..<last]))
        guard target.isValid, target.path != "*" || method == .options else {
            throw .malformed(reason: "The request target is not a path.")
        }
    }

    private mutating func readVersion(_ version: Slice<UnsafeBufferPointer<UInt8>>) throws(HTTPRefusal) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard version.count == 8, version.starts(with: "HTTP/".utf8), digits.contains(version[version.startIndex + 5]),
            version[version.startIndex + 6] == UInt8(ascii: "."), digits.contains(version[version.startIndex + 7])
        else {
            throw .malformed(reason: "The first line does not end with a version of HTTP.")
        }
        guard version[version.startIndex + 5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        isVersion11 = version[version.startIndex + 7] > UInt8(ascii: "0")
    }

    private mutating func readField(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPRefusal) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw .malformed(reason: "There is a line that is not a field.")
        }
        let name = UnsafeBufferPointer(rebasing: line[..<colon])
        guard !name.isEmpty, name.allSatisfy(HTTPHeaders.isTokenByte) else {
            throw .malformed(reason: "The name of a field is not a token.")
        }
        let value = UnsafeBufferPointer(rebasing: line[(colon + 1)...].trimmingBlanks())
        guard value.allSatisfy(HTTPHeaders.isValueByte) else {
            throw .malformed(reason: "The value of a field has control characters in it.")
        }
        fieldCount += 1
        headers.add(name: name, value: value)
    }

    /// The lines of a head, without their line ends.
    private struct Lines {
        let bytes: UnsafeBufferPointer<UInt8>
        private var start = 0

        init(bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        mutating func next() -> UnsafeBufferPointer<UInt8> {
            let end = bytes.lineFeed(from: start) ?? bytes.count
            defer { start = end + 1 }
            return UnsafeBufferPointer(rebasing: bytes[start..<max(start, end - 1)])
        }
    }
}

/// Finds the end of a request's head in the bytes received so far. It scans each byte once, however many pieces the
/// head comes in.
struct RequestHeadFinder {
    /// The length of the first line without its target: a method, the version and two spaces.
    private static let besidesTarget = 64

    let maximumURI: Int
    let maximumHeader: Int
    /// The start of the head. An empty line before it is skipped (RFC 9112 §2.2).
    private(set) var start = 0
    private var scanned = 0
    private var lineStart = 0
    private var firstLineEnd: Int?

    init(maximumURI: Int, maximumHeader: Int) {
        self.maximumURI = maximumURI
        self.maximumHeader = maximumHeader
    }

    /// Returns the end of the head in `bytes`, which begin with those of the previous calls; nil when more must arrive.
    ///
    /// - Throws: ``HTTPRefusal`` as soon as no continuation of `bytes` could be accepted.
    mutating func end(in bytes: UnsafeBufferPointer<UInt8>) throws(HTTPRefusal) -> Int? {
        while let feed = bytes.lineFeed(from: scanned) {
            guard feed > lineStart, bytes[feed - 1] == UInt8(ascii: "\r") else {
                throw .malformed(reason: "A line ends without CR and LF.")
            }
            scanned = feed + 1
            let isEmpty = feed - 1 == lineStart
            lineStart = scanned
            if firstLineEnd == nil {
                if isEmpty, start == 0 { start = scanned } else { firstLineEnd = scanned }
            } else {
                try checkSize(scanned)
                if isEmpty { return scanned }
            }
        }
        scanned = bytes.count
        try checkSize(scanned)
        if firstLineEnd == nil, lineStart < scanned {
            // A client of another protocol waits for our answer rather than ending its line, so check the first byte
            // early.
            let first = bytes[lineStart]
            guard HTTPHeaders.isTokenByte(first) || first == UInt8(ascii: "\r") else {
                throw .malformed(reason: "The first line is not that of a request.")
            }
        }
        return nil
    }

    private func checkSize(_ size: Int) throws(HTTPRefusal) {
        guard let firstLineEnd else {
            guard size - lineStart <= maximumURI + Self.besidesTarget else { throw .uriTooLong(limit: maximumURI) }
            return
        }
        guard size - firstLineEnd <= maximumHeader else { throw .headersTooLarge(limit: maximumHeader) }
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The bytes without surrounding white space, which does not belong to a value (RFC 9110 §5.5).
    func trimmingBlanks() -> Self {
        var rest = self
        while let first = rest.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            rest = rest.dropFirst()
        }
        while let last = rest.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { rest = rest.dropLast() }
        return rest
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func lineFeed(from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
