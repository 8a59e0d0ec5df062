internal import CJansson
internal import Glibc

/// A JSON text that was parsed strictly, to be checked before it goes to the database as it came.
///
/// PostgreSQL's own parser would let the last of two equal keys win without a word, and take any depth that its stack
/// bears; Jansson refuses duplicate keys, NULs, lone surrogates and invalid UTF-8, and the depth is bounded here.
final class JSONDocument {
    /// More nesting than any body of ours has, and far from any stack's end.
    static let maximumDepth = 32

    private let tree: UnsafeMutablePointer<json_t>

    /// The outermost value: an object or an array.
    var root: JSONValue { JSONValue(tree, of: self) }

    /// Parses `bytes`, which may have so many values in them.
    ///
    /// - Throws: ``Problem`` `invalid_request` that says where the text stops being JSON, or what there is too much of.
    init(_ bytes: [UInt8], maximumValues: Int = .max) throws(Problem) {
        var shape = JSONShape()
        try shape.read(bytes, maximumDepth: Self.maximumDepth, maximumValues: maximumValues)
        var failure = json_error_t()
        let parsed = bytes.withUnsafeBytes { buffer in
            json_loadb(buffer.baseAddress, buffer.count, Int(JSON_REJECT_DUPLICATES), &failure)
        }
        guard let parsed else {
            throw Problem(
                .invalidRequest, "The body is not valid JSON (line \(failure.line), column \(failure.column)).")
        }
        tree = parsed
    }

    deinit {
        kith_json_release(tree)
    }
}

/// One value in a ``JSONDocument``, which it keeps alive.
struct JSONValue {
    enum Kind {
        case object, array, string, integer, real, boolean, null
    }

    private let value: UnsafeMutablePointer<json_t>
    private let document: JSONDocument

    fileprivate init(_ value: UnsafeMutablePointer<json_t>, of document: JSONDocument) {
        self.value = value
        self.document = document
    }

    var kind: Kind {
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

    /// The text, when it is a string.
    var string: String? {
        guard kind == .string, let start = json_string_value(value) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(value))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number, when it is an integer.
    var integer: Int? {
        kind == .integer ? Int(json_integer_value(value)) : nil
    }

    /// The truth, when it is a boolean.
    var boolean: Bool? {
        kind == .boolean ? kith_json_type(value) == JSON_TRUE : nil
    }

    /// The value as JSON text.
    var text: [UInt8] {
        guard let text = json_dumps(value, Int(JSON_COMPACT | JSON_ENCODE_ANY)) else { return Array("null".utf8) }
        defer { free(text) }
        return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The elements of an array; none of anything else.
    var elements: [JSONValue] {
        (0..<json_array_size(value)).compactMap { json_array_get(value, $0).map { JSONValue($0, of: document) } }
    }

    /// The members of an object, in the order in which they were written; none of anything else.
    var members: [(name: String, value: JSONValue)] {
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

    /// The member of that name, when it is an object that has one.
    subscript(name: String) -> JSONValue? {
        json_object_get(value, name).map { JSONValue($0, of: document) }
    }
}
