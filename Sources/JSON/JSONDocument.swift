internal import CJansson
internal import Glibc

/// A JSON text, parsed strictly. It is checked here before the original bytes go to the database.
///
/// PostgreSQL's own parser silently lets the last of two equal keys win, and accepts any depth that its stack can bear.
/// Jansson refuses duplicate keys, NULs, lone surrogates and invalid UTF-8, and the depth is limited here.
package final class JSONDocument {
    /// The deepest nesting: more than any valid body needs, and far from exhausting a stack.
    static let maximumDepth = 32

    private let tree: UnsafeMutablePointer<json_t>

    /// The outermost value.
    package var root: JSONValue { JSONValue(tree, of: self) }

    /// Parses `bytes`, which may contain at most `maximumValues` values.
    ///
    /// - Throws: ``InvalidJSON`` with the position of the syntax error or the limit that was exceeded.
    package init(_ bytes: [UInt8], maximumValues: Int = .max) throws(InvalidJSON) {
        guard !bytes.starts(with: Self.byteOrderMark) else {
            throw InvalidJSON("begins with a byte order mark, which JSON does not have")
        }
        var shape = JSONShape()
        try shape.read(bytes, maximumDepth: Self.maximumDepth, maximumValues: maximumValues)
        var failure = json_error_t()
        let parsed = bytes.withUnsafeBytes { buffer in
            json_loadb(buffer.baseAddress, buffer.count, Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY), &failure)
        }
        guard let parsed else { throw Self.fault(failure) }
        tree = parsed
    }

    /// The byte order mark in UTF-8, which a sender must not add (RFC 8259 §8.1).
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func fault(_ failure: json_error_t) -> InvalidJSON {
        var failure = failure
        let code = kith_json_error_code(&failure)
        let text =
            switch code {
            case json_error_duplicate_key: "has an object with the same member twice"
            case json_error_numeric_overflow: "has a number that is out of range"
            case json_error_null_character, json_error_null_byte_in_key: "has the character U+0000"
            case json_error_invalid_utf8: "is not valid UTF-8"
            default: "is not valid JSON"
            }
        return InvalidJSON(
            text, at: (Int(failure.line), Int(failure.column)), isOutOfRange: code == json_error_numeric_overflow)
    }

    deinit {
        kith_json_release(tree)
    }
}

/// A value of a ``JSONDocument``. It keeps the document alive.
package struct JSONValue {
    package enum Kind {
        case object, array, string, integer, real, boolean, null
    }

    private let value: UnsafeMutablePointer<json_t>
    private let document: JSONDocument

    fileprivate init(_ value: UnsafeMutablePointer<json_t>, of document: JSONDocument) {
        self.value = value
        self.document = document
    }

    package var kind: Kind {
        switch kith_json_type(value) {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: .integer
        case JSON_REAL: .real
        case JSON_TRUE, JSON_FALSE: .boolean
        default: .null
        }
    }

    /// The text of a string; nil for other kinds.
    package var string: String? {
        guard kind == .string, let start = json_string_value(value) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(value))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number of an integer; nil for other kinds.
    package var integer: Int? {
        kind == .integer ? Int(json_integer_value(value)) : nil
    }

    /// The number of an integer or a real; nil for other kinds.
    package var number: Double? {
        switch kind {
        case .integer: Double(json_integer_value(value))
        case .real: json_real_value(value)
        default: nil
        }
    }

    /// The value of a boolean; nil for other kinds.
    package var boolean: Bool? {
        kind == .boolean ? kith_json_type(value) == JSON_TRUE : nil
    }

    /// The value as JSON text.
    package var text: [UInt8] {
        guard let text = json_dumps(value, Int(JSON_COMPACT | JSON_ENCODE_ANY)) else { return Array("null".utf8) }
        defer { free(text) }
        return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The elements of an array; empty for other kinds.
    package var elements: [JSONValue] {
        (0..<json_array_size(value)).compactMap { json_array_get(value, $0).map { JSONValue($0, of: document) } }
    }

    /// The members of an object in their original order; empty for other kinds.
    package var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        var iterator = json_object_iter(value)
        while let position = iterator {
            if let key = json_object_iter_key(position), let member = json_object_iter_value(position) {
                members.append((String(cString: key), JSONValue(member, of: document)))
            }
            iterator = json_object_iter_next(value, position)
        }
        return members
    }

    /// The member `name` of an object; nil if there is none.
    package subscript(name: String) -> JSONValue? {
        json_object_get(value, name).map { JSONValue($0, of: document) }
    }
}
