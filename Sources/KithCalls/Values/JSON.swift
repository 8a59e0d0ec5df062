extension Kith {
    /// A JSON value whose shape this library does not know, such as the parameters of a notification.
    public enum JSON: Sendable, Hashable {
        /// The value `null`.
        case null
        /// A truth value.
        case bool(Bool)
        /// A whole number.
        case integer(Int)
        /// A number with a fraction, or too large to be an `Int`.
        case number(Double)
        /// A text.
        case string(String)
        /// A list.
        case array([JSON])
        /// An object.
        case object([String: JSON])

        /// The member `name` of an object; nil if there is none.
        public subscript(name: String) -> JSON? {
            if case .object(let members) = self { members[name] } else { nil }
        }

        /// The text, if the value is one.
        public var string: String? {
            if case .string(let text) = self { text } else { nil }
        }

        /// The whole number, if the value is one.
        public var integer: Int? {
            if case .integer(let number) = self { number } else { nil }
        }
    }
}

extension Kith.JSON: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let truth = try? container.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let members = try? container.decode([String: Kith.JSON].self) {
            self = .object(members)
        } else {
            self = .array(try container.decode([Kith.JSON].self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let truth): try container.encode(truth)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension Kith.JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    /// Creates a text.
    public init(stringLiteral text: String) { self = .string(text) }
    /// Creates a whole number.
    public init(integerLiteral number: Int) { self = .integer(number) }
    /// Creates a truth value.
    public init(booleanLiteral truth: Bool) { self = .bool(truth) }
    /// Creates an object. Of two members of one name, the last counts.
    public init(dictionaryLiteral members: (String, Kith.JSON)...) {
        self = .object(Dictionary(members) { $1 })
    }
    /// Creates a list.
    public init(arrayLiteral elements: Kith.JSON...) { self = .array(elements) }
    /// Creates the value `null`.
    public init(nilLiteral: ()) { self = .null }
}
