extension JSONSchema {
    /// The most bytes that one character can take in JSON: two escaped surrogates.
    private static let longestCharacter = 12
    /// The assumed size, in bytes and values, of an object whose members the schema does not define.
    private static let (anyObjectSize, anyObjectValues) = (4 << 10, 100)
    /// The most bytes of quotes, colons, commas and spaces around a member or an element.
    private static let punctuation = 8

    /// The size of the largest valid JSON text in bytes, written without needless white space.
    package var maximumSize: Int {
        switch self {
        case .string(let format, let length): length.upperBound * (format.isASCII ? 1 : Self.longestCharacter) + 2
        case .oneOf(let values): (values.map(\.utf8.count).max() ?? 0) + 2
        case .integer, .boolean: 20
        // Seventeen digits, a sign, a point and an exponent, as devices write them.
        case .number: 40
        case .anyObject: Self.anyObjectSize
        case .item(let schema), .nullable(let schema): max(schema.maximumSize, 4)
        case .union(let shapes, _): shapes.map(\.maximumSize).max() ?? 0
        case .component(let component): component.schema.maximumSize
        case .array(let element, let count): 2 + count.upperBound * (element.maximumSize + Self.punctuation)
        case .object(let properties):
            properties.reduce(2) { $0 + $1.name.utf8.count + $1.schema.maximumSize + Self.punctuation }
        }
    }

    /// The most values that a valid JSON text can contain.
    package var maximumValues: Int {
        switch self {
        case .string, .oneOf, .integer, .number, .boolean: 1
        case .anyObject: Self.anyObjectValues
        case .item(let schema), .nullable(let schema): schema.maximumValues
        case .union(let shapes, _): shapes.map(\.maximumValues).max() ?? 1
        case .component(let component): component.schema.maximumValues
        case .array(let element, let count): 2 + count.upperBound * (element.maximumValues + 1)
        case .object(let properties): properties.reduce(2) { $0 + $1.schema.maximumValues }
        }
    }
}
