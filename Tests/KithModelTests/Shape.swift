import Foundation

/// What a type decodes: the kind of its value, and the members if it is an object.
indirect enum Shape: Equatable, CustomStringConvertible {
    case string, number, boolean, any
    case array(Shape)
    case object([String: Member])

    struct Member: Equatable {
        var shape: Shape
        var isOptional: Bool
    }

    var description: String {
        switch self {
        case .string: "string"
        case .number: "number"
        case .boolean: "boolean"
        case .any: "anything"
        case .array(let element): "array of \(element)"
        case .object: "object"
        }
    }

    /// The shape that `type` decodes. The type is decoded from placeholders, so it must accept any string and any number.
    static func of(_ type: any Decodable.Type) throws -> Shape {
        let decoder = ShapeDecoder()
        _ = try decoder.value(of: type)
        return decoder.shape
    }
}

/// A decoder without data. It answers each request with a placeholder and records what was requested.
private final class ShapeDecoder: Decoder {
    var shape = Shape.any
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        switch type {
        case is Date.Type:
            shape = .string
            return Date(timeIntervalSince1970: 0) as! Value
        case is UUID.Type:
            shape = .string
            return UUID() as! Value
        case is URL.Type:
            shape = .string
            return URL(filePath: "/") as! Value
        default:
            if let type = type as? any (CaseIterable & Decodable).Type, let first = Self.first(of: type) {
                shape = .string
                return first as! Value
            }
            return try Value(from: self)
        }
    }

    private static func first<Value: CaseIterable>(of type: Value.Type) -> Any? { type.allCases.first }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        shape = .object([:])
        return KeyedDecodingContainer(Members<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape = .array(.any)
        return Elements(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    func record(_ name: String, _ shape: Shape, isOptional: Bool) {
        guard case .object(var members) = self.shape else { return }
        members[name] = Shape.Member(shape: shape, isOptional: isOptional)
        self.shape = .object(members)
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ShapeDecoder
        let codingPath: [any CodingKey] = []
        /// A dictionary decodes the keys that there are: none.
        let allKeys: [Key] = []

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try member(type, key, isOptional: false)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            try member(type, key, isOptional: true)
        }

        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
            try member(type, key, isOptional: true)
        }

        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
            try member(type, key, isOptional: true)
        }

        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
            try member(type, key, isOptional: true)
        }

        private func member<Value: Decodable>(_ type: Value.Type, _ key: Key, isOptional: Bool) throws -> Value {
            let inner = ShapeDecoder()
            let value = try inner.value(of: type)
            decoder.record(key.stringValue, inner.shape, isOptional: isOptional)
            return value
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw Unsupported() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unsupported() }
        func superDecoder() throws -> any Decoder { throw Unsupported() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw Unsupported() }
    }

    /// One element, so that its shape is recorded.
    private struct Elements: UnkeyedDecodingContainer {
        let decoder: ShapeDecoder
        let codingPath: [any CodingKey] = []
        let count: Int? = 1
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex > 0 }

        func decodeNil() -> Bool { false }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            currentIndex += 1
            let inner = ShapeDecoder()
            let value = try inner.value(of: type)
            decoder.shape = .array(inner.shape)
            return value
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { throw Unsupported() }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }
        func superDecoder() throws -> any Decoder { throw Unsupported() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: ShapeDecoder
        let codingPath: [any CodingKey] = []

        func decodeNil() -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            switch type {
            case is String.Type:
                decoder.shape = .string
                return "" as! Value
            case is Bool.Type:
                decoder.shape = .boolean
                return false as! Value
            case is Int.Type:
                decoder.shape = .number
                return 0 as! Value
            case is Double.Type:
                decoder.shape = .number
                return 0.0 as! Value
            default: return try decoder.value(of: type)
            }
        }
    }

    private struct Unsupported: Error {}
}
