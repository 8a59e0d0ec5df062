internal import Glibc

/// Parses a form with files while it arrives (RFC 7578, RFC 2046 §5.1): it is given bytes, and returns the parts in
/// order. It buffers no more than the bytes since the last call of ``next()``, and the head of one part.
struct Multipart {
    /// The next piece of a form.
    enum Event: Equatable {
        /// A part begins.
        case part(Part)
        /// Bytes of the part's content.
        case content([UInt8])
        /// The part is complete.
        case endOfPart
        /// The form is complete.
        case end
    }

    /// The head of a part.
    struct Part: Equatable {
        let name: String
        /// The name of the file; nil if the part is no file. It is empty if no file was chosen.
        let fileName: String?
        /// The media type that the browser gave to the file.
        let type: String?
    }

    /// The form is malformed.
    struct Malformed: Error {}

    private enum Place {
        case beforeFirst, head, content, done
    }

    /// The longest head of a part, in bytes.
    private static let longestHead = 16 << 10

    private let delimiter: [UInt8]
    private var place = Place.beforeFirst
    private var buffer: [UInt8]
    private var start = 0

    /// Creates a reader of forms whose parts `boundary` separates.
    init(boundary: String) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter may stand at the very beginning.
        buffer = Array("\r\n".utf8)
    }

    /// The boundary in a `Content-Type`; nil if it is no form with files.
    static func boundary(of type: String?) -> String? {
        guard let type else { return nil }
        let parts = type.split(separator: ";", omittingEmptySubsequences: false)
        guard parts[0].lowercased().filter({ $0 != " " }) == "multipart/form-data" else { return nil }
        for part in parts.dropFirst() {
            let pair = part.drop { $0 == " " || $0 == "\t" }
            guard pair.lowercased().hasPrefix("boundary=") else { continue }
            let value = pair.dropFirst("boundary=".count).filter { $0 != "\"" }
            let isValid = (1...70).contains(value.utf8.count) && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isValid ? value : nil
        }
        return nil
    }

    /// Adds bytes that have arrived.
    mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns what comes next; nil if more bytes are needed.
    ///
    /// - Throws: ``Malformed``.
    mutating func next() throws(Malformed) -> Event? {
        switch place {
        case .done: return .end
        case .beforeFirst:
            guard let found = find(delimiter) else {
                // Ignore the text before the first delimiter (RFC 2046, section 5.1.1).
                start = max(start, buffer.count - delimiter.count + 1)
                return nil
            }
            guard let isLast = passDelimiter(at: found) else { return nil }
            place = isLast ? .done : .head
            return try next()
        case .head:
            // The head of a part without fields is only the empty line.
            guard let end = find(Self.endOfHead) else {
                guard buffer.count - start <= Self.longestHead else { throw Malformed() }
                return nil
            }
            let part = try Self.part(buffer[start..<end])
            start = end + Self.endOfHead.count
            place = .content
            return .part(part)
        case .content:
            guard let found = find(delimiter) else {
                let end = buffer.count - delimiter.count + 1
                guard end > start else { return nil }
                defer { start = end }
                return .content(Array(buffer[start..<end]))
            }
            if found > start {
                defer { start = found }
                return .content(Array(buffer[start..<found]))
            }
            guard let isLast = passDelimiter(at: found) else { return nil }
            place = isLast ? .done : .head
            return .endOfPart
        }
    }

    /// Skips the delimiter and the rest of its line. Returns whether it was the last; nil if the rest has not arrived.
    private mutating func passDelimiter(at found: Int) -> Bool? {
        let end = found + delimiter.count
        guard buffer.count >= end + 2 else { return nil }
        if buffer[end] == UInt8(ascii: "-"), buffer[end + 1] == UInt8(ascii: "-") {
            start = end + 2
            return true
        }
        // The line break stays: it is the first half of the end of an empty head.
        start = end
        return false
    }

    /// The position of `pattern` in what has not been read. It begins with a carriage return, which is rare.
    private func find(_ pattern: [UInt8]) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var position = start
            while position + pattern.count <= bytes.count {
                guard let found = memchr(base + position, 0x0D, bytes.count - position) else { return nil }
                position = UnsafeRawPointer(found) - base
                guard position + pattern.count <= bytes.count else { return nil }
                if memcmp(base + position, pattern, pattern.count) == 0 { return position }
                position += 1
            }
            return nil
        }
    }

    private static let endOfHead = Array("\r\n\r\n".utf8)

    private static func part(_ head: ArraySlice<UInt8>) throws(Malformed) -> Part {
        var disposition: String?
        var type: String?
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed() }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon].lowercased() {
            case "content-disposition": disposition = value
            case "content-type": type = value
            default: break
            }
        }
        guard let disposition, disposition.hasPrefix("form-data"), let name = parameter("name", of: disposition) else {
            throw Malformed()
        }
        return Part(name: name, fileName: parameter("filename", of: disposition), type: type)
    }

    /// A quoted parameter. Browsers escape quotation marks and line breaks in it by percent signs, and nothing else
    /// (HTML Standard, "multipart/form-data encoding algorithm").
    private static func parameter(_ name: String, of disposition: String) -> String? {
        guard let start = disposition.firstRange(of: "; \(name)=\"")?.upperBound,
            let end = disposition[start...].firstIndex(of: "\"")
        else { return nil }
        return String(disposition[start..<end]).replacing("%22", with: "\"").replacing("%0D", with: "\r")
            .replacing("%0A", with: "\n")
    }
}
