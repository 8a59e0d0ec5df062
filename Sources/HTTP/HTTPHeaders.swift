/// The header fields of a request or a response, in order (RFC 9110 §5). Names are compared case-insensitively.
///
/// Each field is packed as the lengths of its name and its value, followed by their bytes, so that all fields cost one
/// allocation. A look-up goes from field to field, because a request has few.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var packed: [UInt8] = []
    /// The size of a field's two lengths together, in bytes.
    private static let prefix = 8

    /// Creates an empty set of fields.
    public init() {}

    /// Creates the fields in the order written. A name may occur several times.
    public init(dictionaryLiteral fields: (String, String)...) {
        reserve(48 * fields.count)
        for (name, value) in fields { add(name, value) }
    }

    /// Adds a field after the others.
    ///
    /// A line end or NUL in `value` becomes a space (RFC 9110 §5.5), so that text from a user cannot inject a second
    /// field or a second response. An empty value is not sent.
    ///
    /// `name` must be a token (RFC 9110). Anything else is a programming error and stops the program.
    public mutating func add(_ name: String, _ value: String) {
        // Append each text as a whole and check it in place. Going through the text byte by byte took a tenth of a
        // request's time.
        appendLengths(name.utf8.count, value.utf8.count)
        let start = packed.count
        packed.append(contentsOf: name.utf8)
        let end = packed.count
        precondition(
            start < end && packed[start..<end].allSatisfy(Self.isTokenByte), "\(name) is not a field name")
        packed.append(contentsOf: value.utf8)
        for index in end..<packed.count {
            let byte = packed[index]
            if byte == 0 || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
                packed[index] = UInt8(ascii: " ")
            }
        }
    }

    /// The value of the first field with this name.
    public subscript(name: String) -> String? {
        var found: String?
        forEachPacked { packedName, value in
            guard found == nil, packedName.equalsIgnoringCase(name.utf8) else { return }
            found = String(decoding: value, as: UTF8.self)
        }
        return found
    }

    /// The values of all fields with this name, joined as one list in order (RFC 9110 §5.3); nil for none.
    public func list(_ name: String) -> String? {
        var list: String?
        forEachPacked { packedName, value in
            guard packedName.equalsIgnoringCase(name.utf8) else { return }
            let text = String(decoding: value, as: UTF8.self)
            list = list.map { "\($0), \(text)" } ?? text
        }
        return list
    }

    /// The value of the first cookie with this name (RFC 6265 §4.2.1), wherever it stands among the others; nil if
    /// there is none. Other sites of the same domain can set any number of cookies, and a proxy may send them in
    /// several fields.
    public func cookie(_ name: String) -> String? {
        var found: String?
        forEachPacked { packedName, value in
            guard found == nil, packedName.equalsIgnoringCase("Cookie".utf8) else { return }
            for pair in value.split(separator: UInt8(ascii: ";")) {
                let pair = pair.trimmingBlanks()
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                found = String(decoding: pair[(equals + 1)...], as: UTF8.self)
                return
            }
        }
        return found
    }

    /// Whether fields with this name have different values.
    func contradict(_ name: String) -> Bool {
        var first: [UInt8]?
        var differs = false
        forEachPacked { packedName, value in
            guard packedName.equalsIgnoringCase(name.utf8) else { return }
            if let first { differs = differs || !value.elementsEqual(first) } else { first = Array(value) }
        }
        return differs
    }

    /// All fields, as text.
    public var fields: [(name: String, value: String)] {
        var all: [(name: String, value: String)] = []
        forEachPacked { name, value in
            all.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return all
    }

    /// Adds a field that was read from the wire.
    mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        appendLengths(name.count, value.count)
        packed.append(contentsOf: name)
        packed.append(contentsOf: value)
    }

    private mutating func appendLengths(_ name: Int, _ value: Int) {
        withUnsafeBytes(of: UInt32(name)) { packed.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(value)) { packed.append(contentsOf: $0) }
    }

    /// Reserves capacity for `bytes` bytes.
    mutating func reserve(_ bytes: Int) {
        packed.reserveCapacity(bytes)
    }

    /// Calls `body` with each name and value.
    func forEachPacked(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void) {
        packed.withUnsafeBufferPointer { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            var start = 0
            while start < bytes.count {
                let name = start + Self.prefix
                let value = name + Int(raw.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                start = value + Int(raw.loadUnaligned(fromByteOffset: start + Self.prefix / 2, as: UInt32.self))
                body(
                    UnsafeBufferPointer(rebasing: bytes[name..<value]),
                    UnsafeBufferPointer(rebasing: bytes[value..<start]))
            }
        }
    }

    /// Whether `byte` is allowed in a value (RFC 9110 §5.5): no control characters but the tab.
    static func isValueByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
    }

    /// Whether `byte` is allowed in a token (RFC 9110 §5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes equal those of `other`. ASCII letters are compared case-insensitively.
    func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for (mine, theirs) in zip(self, other) where mine != theirs {
            let letter = mine | 0x20
            guard letter == theirs | 0x20, letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else {
                return false
            }
        }
        return true
    }
}
