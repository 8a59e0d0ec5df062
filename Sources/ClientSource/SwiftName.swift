/// The names of the API in Swift.
enum SwiftName {
    /// The words that Swift writes in capitals.
    private static let capitals: Set<String> = [
        "id", "url", "sms", "api", "jwt", "json", "html", "csv", "ttl", "ios", "pem", "http", "mib", "kid", "vapid",
    ]

    private static let keywords: Set<String> = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension",
        "false", "for", "func", "guard", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator",
        "private", "protocol", "public", "repeat", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw", "throws", "true", "try", "var", "where", "while",
    ]

    /// The name of a member, a value or a parameter: `connection_id` is `connectionID`, `vault.opened` is
    /// `vaultOpened`.
    static func member(_ name: String) -> String {
        let words = words(name)
        let first = words.first ?? ""
        // ES256 is a word by itself, and readOnly has its capital already.
        let start =
            first == first.uppercased() || capitals.contains(first.lowercased())
            ? first.lowercased() : decapitalized(first)
        return start + words.dropFirst().map(capitalized).joined()
    }

    /// `member`, in backticks where Swift needs them.
    static func escaped(_ member: String) -> String {
        keywords.contains(member) ? "`\(member)`" : member
    }

    /// The name of a type: `sender profile` is `SenderProfile`.
    static func type(_ name: String) -> String { words(name).map(capitalized).joined() }

    /// The name of an operation: `createApiKey` is `createAPIKey`.
    static func operation(_ id: String) -> String {
        var words = [""]
        for letter in id {
            if letter.isUppercase { words.append("") }
            words[words.count - 1].append(letter)
        }
        return words[0] + words.dropFirst().map { $0.count > 1 ? capitalized($0.lowercased()) : $0 }.joined()
    }

    /// The type of a component: `CreateApiKeyRequest` is `CreateAPIKeyRequest`.
    static func component(_ name: String) -> String { operation(type(name)) }

    /// `name` with a small first letter, or a first word in small letters: `APIKey` is `apiKey`.
    static func decapitalized(_ name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        let word = capitals.count < 2 || capitals.count == name.count ? capitals : capitals.dropLast()
        return word.lowercased() + name.dropFirst(word.count)
    }

    /// A noun for one of a list: `emergency/requests` is of a `request`.
    static func singular(_ name: String) -> String {
        if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
        return name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    private static func words(_ name: String) -> [String] {
        name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func capitalized(_ word: String) -> String {
        if capitals.contains(word) { return word.uppercased() }
        if word.hasSuffix("s"), word.count > 2, capitals.contains(String(word.dropLast())) {
            return word.dropLast().uppercased() + "s"
        }
        return word.prefix(1).uppercased() + word.dropFirst()
    }
}
