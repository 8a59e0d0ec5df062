internal import JSON

/// A type of the client library.
struct ClientType {
    /// The name in Swift, within `Kith`.
    let name: String
    let schema: JSONSchema
    /// The first sentence of its documentation.
    let summary: String
    /// The tag of the first call that uses it.
    let area: String
    /// Whether requests have it.
    var isSent = false
    /// Whether answers or events have it.
    var isReceived = false
    /// The library that has the type: the one below both if both use it.
    var product = Product.calls

    /// Whether only requests have it. Then a member that can be left out or `null` is a `Kith.Change`.
    var isSentOnly: Bool { isSent && !isReceived }

    /// Whether it is a set of texts.
    var isChoice: Bool {
        if case .oneOf = schema { true } else { false }
    }
}

/// A member of a struct.
struct ClientMember {
    let property: JSONSchema.Property
    /// The type, without a question mark.
    let type: String
    /// The only text that the member can have; nil for others.
    let constant: String?
    let isNullable: Bool
    /// Whether it is a `Kith.Change`.
    let isChange: Bool

    /// Whether a value can be read without it: a list of an answer that was added later is empty where the server does
    /// not know it. The items of a page are the answer itself, and an answer without them is none.
    var canBeAbsent: Bool {
        type.hasPrefix("[") && !isNullable && property.required && property.name != "items"
    }

    /// The name in Swift.
    var name: String { SwiftName.member(property.name) }

    /// The type as it is declared.
    var declaredType: String {
        if isChange { return "Change<\(type)>" }
        return isNullable || !property.required ? "\(type)?" : type
    }

    /// The value of the initialiser's parameter if it is left out; nil if it must be there.
    var defaultValue: String? {
        if isChange { return ".unchanged" }
        if !property.required { return "nil" }
        return constant.map { "\"\($0)\"" }
    }
}
