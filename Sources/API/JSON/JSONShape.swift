/// How large a JSON text is, found out without making anything of it: to parse a mebibyte of tiny values takes a tenth of a second, and
/// makes a tree of many times its size.
struct JSONShape {
    /// How many values there are at most, containers included.
    private(set) var values = 1
    /// How many bytes were looked at, each once.
    private(set) var scanned = 0
    private var depth = 0

    /// Reads `bytes` up to where they pass a limit. Whether they are JSON, the parser says.
    ///
    /// - Throws: ``Problem`` `invalid_request` for a text that is nested more deeply, or has more values, than may be.
    mutating func read(_ bytes: [UInt8], maximumDepth: Int, maximumValues: Int) throws(Problem) {
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
                throw Problem(.invalidRequest, "The body is nested more than \(maximumDepth) levels deep.")
            }
            guard values <= maximumValues else {
                throw Problem(.invalidRequest, "The body has more than \(maximumValues) values in it.")
            }
        }
    }
}
