extension PostgresValue {
    /// An array of texts, or of values in their text form, whatever they contain.
    public static func array(_ elements: [String]) -> PostgresValue {
        .text("{\(elements.map(quoted).joined(separator: ","))}")
    }

    /// An array of integers of any width.
    public static func array(_ numbers: [Int]) -> PostgresValue {
        .text("{\(numbers.map(String.init).joined(separator: ","))}")
    }

    /// An element of an array in its text form. A backslash protects those scalars that mean something there.
    private static func quoted(_ element: String) -> String {
        var scalars = String.UnicodeScalarView("\"".unicodeScalars)
        // Goes by Unicode scalars: to Swift, a quotation mark with a combining accent is another character; to
        // PostgreSQL it is not.
        for scalar in element.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { scalars.append("\\") }
            scalars.append(scalar)
        }
        scalars.append("\"")
        return String(scalars)
    }
}
