extension Kith {
    /// What a request does to a value that can be absent: it leaves it as it is, sets it, or clears it.
    ///
    /// A value stands for setting it, and `nil` for clearing it: `.init(alias: "Mum")`, `.init(alias: nil)`.
    public enum Change<Value: Encodable & Sendable & Hashable>: Sendable, Hashable {
        /// The request does not name the value.
        case unchanged
        /// The request sets the value.
        case set(Value)
        /// The request clears the value: it sends `null`.
        case clear

        /// Sets a value, or clears it if there is none.
        public init(_ value: Value?) {
            self = value.map { .set($0) } ?? .clear
        }
    }
}

extension Kith.Change: ExpressibleByNilLiteral {
    /// Clears the value.
    public init(nilLiteral: ()) { self = .clear }
}

extension Kith.Change: ExpressibleByUnicodeScalarLiteral where Value: ExpressibleByUnicodeScalarLiteral {
    /// Sets the value.
    public init(unicodeScalarLiteral value: Value.UnicodeScalarLiteralType) {
        self = .set(Value(unicodeScalarLiteral: value))
    }
}

extension Kith.Change: ExpressibleByExtendedGraphemeClusterLiteral
where Value: ExpressibleByExtendedGraphemeClusterLiteral {
    /// Sets the value.
    public init(extendedGraphemeClusterLiteral value: Value.ExtendedGraphemeClusterLiteralType) {
        self = .set(Value(extendedGraphemeClusterLiteral: value))
    }
}

extension Kith.Change: ExpressibleByStringLiteral where Value: ExpressibleByStringLiteral {
    /// Sets the value.
    public init(stringLiteral value: Value.StringLiteralType) { self = .set(Value(stringLiteral: value)) }
}

extension Kith.Change: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// Sets the value.
    public init(integerLiteral value: Value.IntegerLiteralType) { self = .set(Value(integerLiteral: value)) }
}

extension KeyedEncodingContainer {
    /// Encodes what a request does to a value, and nothing if it leaves it as it is.
    package mutating func encode<Value>(change: Kith.Change<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .set(let value): try encode(value, forKey: key)
        case .clear: try encodeNil(forKey: key)
        }
    }
}
