internal import Delivery

/// A format of a text: how it is checked, how a person is told, and how the OpenAPI document names it.
enum TextFormat: Sendable {
    case uuid
    case date
    case instant
    case timeOfDay
    /// ASCII digits only: a code of Arabic digits is not a code.
    case code
    case phone
    case email
    /// A text that a machine made: visible ASCII.
    case opaque
    /// One line a person typed: no control characters, and not blank.
    case line
    /// Text a person typed, which may have line breaks.
    case text
    /// Any text at all, which is judged later.
    case anything
    /// A counting number in a path.
    case number

    /// Whether `value` has the format.
    func accepts(_ value: String) -> Bool {
        let characters = Array(value.utf8)
        switch self {
        case .uuid: return Self.matches(characters, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
        case .date: return Self.isDate(characters)
        case .instant:
            return characters.count >= 20 && characters.count <= 35 && Self.isDate(Array(characters.prefix(10)))
                && (characters[10] == UInt8(ascii: "T") || characters[10] == UInt8(ascii: "t"))
                && Self.isClock(Array(characters[11..<19])) && Self.isZone(Array(characters[19...]))
        case .timeOfDay: return characters.count == 5 && Self.isClock(characters + Array(":00".utf8))
        case .code: return Self.matches(characters, "dddddd")
        case .phone:
            return (8...16).contains(characters.count) && characters[0] == UInt8(ascii: "+")
                && characters[1] != UInt8(ascii: "0") && characters.dropFirst().allSatisfy(Self.isDigit)
        case .email:
            // What can be sent to, with the domain as the name system has it: a domain in Unicode has many spellings, and each would be
            // an address of its own here, but the same mailbox there.
            return MailAddress(value) != nil
                && value.utf8.reversed().prefix { $0 != UInt8(ascii: "@") }.allSatisfy { $0 < 0x80 }
        case .opaque:
            return (1...Self.longestOpaque).contains(characters.count)
                && characters.allSatisfy { (0x21...0x7E).contains($0) }
        case .line:
            return !Self.isBlank(value)
                && value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        case .anything: return true
        case .number: return (1...9).contains(characters.count) && characters.allSatisfy(Self.isDigit)
        case .text:
            return !Self.isBlank(value)
                && value.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
                }
        }
    }

    /// Whether only ASCII has the format.
    var isASCII: Bool {
        switch self {
        case .uuid, .date, .instant, .timeOfDay, .code, .phone, .opaque, .number: true
        case .email, .line, .text, .anything: false
        }
    }

    /// A value that has the format.
    var example: String {
        switch self {
        case .uuid: "019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4"
        case .date: "2026-11-21"
        case .instant: "2026-11-21T09:00:00Z"
        case .timeOfDay: "09:00"
        case .code: "482915"
        case .phone: "+4915112345678"
        case .email: "alice@example.com"
        case .number: "1"
        case .opaque, .line, .text, .anything: "text"
        }
    }

    /// What a value must be, to follow the field's name.
    var requirement: String {
        switch self {
        case .uuid: "must be a UUID"
        case .date: "must be a date like \(example)"
        case .instant: "must be an instant like \(example)"
        case .timeOfDay: "must be a time of day like \(example)"
        case .code: "must be exactly 6 digits"
        case .phone: "must be a phone number in E.164 form, like \(example)"
        case .email: "must be an e-mail address, whose domain is in ASCII: bücher.example is xn--bcher-kva.example"
        case .opaque: "must be 1 to \(Self.longestOpaque) visible ASCII characters"
        case .line: "must not be blank or hold control characters"
        case .text: "must not be blank or hold control characters other than line breaks"
        case .anything: "must be a string"
        case .number: "must be a number"
        }
    }

    /// The OpenAPI `format`, where there is one.
    var name: String? {
        switch self {
        case .uuid: "uuid"
        case .date: "date"
        case .instant: "date-time"
        case .email: "email"
        case .timeOfDay, .code, .phone, .opaque, .line, .text, .anything, .number: nil
        }
    }

    /// How many characters a value has where nothing else is said.
    var usualLength: ClosedRange<Int> {
        switch self {
        case .email: 3...254
        case .anything: 0...200
        default: 1...200
        }
    }

    /// Whether every value has the same length, or lengths that the pattern says.
    var hasOwnLength: Bool {
        switch self {
        case .uuid, .date, .instant, .timeOfDay, .code, .phone, .number: true
        case .email, .opaque, .line, .text, .anything: false
        }
    }

    /// The OpenAPI `pattern`, where the format has none of its own.
    var pattern: String? {
        switch self {
        case .timeOfDay: "^([01][0-9]|2[0-3]):[0-5][0-9]$"
        case .code: "^[0-9]{6}$"
        case .phone: "^\\+[1-9][0-9]{6,14}$"
        case .opaque: "^[!-~]+$"
        case .line: Self.pattern(without: #"\u0000-\u001F\u007F-\u009F"#)
        case .text: Self.pattern(without: #"\u0000-\u0008\u000B-\u001F\u007F-\u009F"#)
        case .number: "^[0-9]{1,9}$"
        case .uuid, .date, .instant, .email, .anything: nil
        }
    }

    /// A text without certain characters that has something else than blanks in it.
    private static func pattern(without characters: String) -> String {
        #"^[^\#(characters)]*[^\s\#(characters)][^\#(characters)]*$"#
    }

    private static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }

    /// The longest opaque text: an endpoint of web push has some 200 characters, a token of APNs 64.
    static let longestOpaque = 1000

    private static func isDigit(_ character: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    }

    /// Whether `characters` follow `pattern`, in which `d` is a digit and `h` a hexadecimal one.
    private static func matches(_ characters: [UInt8], _ pattern: String) -> Bool {
        let pattern = Array(pattern.utf8)
        guard characters.count == pattern.count else { return false }
        return zip(characters, pattern).allSatisfy { character, expected in
            switch expected {
            case UInt8(ascii: "d"): isDigit(character)
            case UInt8(ascii: "h"):
                isDigit(character) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(character | 0x20)
            default: character == expected
            }
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDate(_ characters: [UInt8]) -> Bool {
        guard matches(characters, "dddd-dd-dd") else { return false }
        let (year, month, day) = (number(characters[0..<4]), number(characters[5..<7]), number(characters[8..<10]))
        guard year >= 1, (1...12).contains(month) else { return false }
        let leap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    private static func isClock(_ characters: [UInt8]) -> Bool {
        matches(characters, "dd:dd:dd") && number(characters[0..<2]) < 24 && number(characters[3..<5]) < 60
            && number(characters[6..<8]) < 60
    }

    /// `Z`, or `±HH:MM`, after an optional fraction of a second (RFC 3339 §5.6).
    private static func isZone(_ characters: [UInt8]) -> Bool {
        var rest = characters[...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard (1...9).contains(digits.count) else { return false }
            rest = rest.dropFirst(1 + digits.count)
        }
        if rest.count == 1 { return rest.first == UInt8(ascii: "Z") || rest.first == UInt8(ascii: "z") }
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        return isClock(Array(rest.dropFirst()) + Array(":00".utf8))
    }
}
