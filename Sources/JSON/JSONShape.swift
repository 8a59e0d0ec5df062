/// Measures a JSON text without parsing it. Parsing a mebibyte of tiny values takes a tenth of a second and makes a
/// tree many times its size.
struct JSONShape {
    /// An upper bound for the number of values, including containers.
    private(set) var values = 1
    /// How many bytes were read. Each is read once.
    private(set) var scanned = 0
    private var depth = 0

    /// Reads `bytes` until a limit is exceeded. It does not check the syntax; the parser does.
    ///
    /// - Throws: ``InvalidJSON`` if the text is nested too deeply or has too many values.
    mutating func read(_ bytes: [UInt8], maximumDepth: Int, maximumValues: Int) throws(InvalidJSON) {
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            scanned += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                values += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): values += 1
            default: continue
            }
            guard depth <= maximumDepth else {
                throw InvalidJSON("is nested more than \(maximumDepth) levels deep")
            }
            guard values <= maximumValues else {
                throw InvalidJSON("has more than \(maximumValues) values in it")
            }
        }
    }
}
