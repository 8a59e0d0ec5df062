/// Writes JSON text (RFC 8259) directly into bytes, for the small documents that the server makes itself.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    /// Whether the current object or array has an element, so that the next one needs a comma.
    private var hasElement = false

    package init() {
        bytes.reserveCapacity(512)
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        nested("{", "}", body)
    }

    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        nested("{", "}", body)
    }

    /// Writes an array as the document itself, or as the value of the current key.
    package mutating func array<Element>(_ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        nested("[", "]") { json in
            for element in elements {
                json.separate()
                body(&json, element)
                json.hasElement = true
            }
        }
    }

    package mutating func array<Element>(
        _ name: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, body)
    }

    package mutating func field(_ name: String, _ value: String) {
        key(name)
        string(value)
        hasElement = true
    }

    package mutating func field(_ name: String, _ value: Int) {
        key(name)
        bytes += String(value).utf8
        hasElement = true
    }

    package mutating func field(_ name: String, _ value: Bool) {
        key(name)
        bytes += (value ? "true" : "false").utf8
        hasElement = true
    }

    /// Writes a field whose value is JSON text.
    package mutating func field(_ name: String, json text: some Sequence<UInt8>) {
        key(name)
        bytes += text
        hasElement = true
    }

    /// Writes JSON text as an element of an array.
    package mutating func value(json text: some Sequence<UInt8>) {
        bytes += text
    }

    /// Writes a string as an element of an array.
    package mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Ends a line of JSON Lines. The next value begins a new text.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        hasElement = false
    }

    private mutating func key(_ name: String) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
        hasElement = false
    }

    private mutating func separate() {
        if hasElement { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func nested(_ open: Character, _ close: Character, _ body: (inout JSONWriter) -> Void) {
        bytes += String(open).utf8
        hasElement = false
        body(&self)
        bytes += String(close).utf8
        hasElement = true
    }
}
