internal import Contacts

/// The format of a text: how it is validated, how an error describes it, and its name in the OpenAPI document.
package enum TextFormat: Sendable {
    case uuid
    case date
    case instant
    case timeOfDay
    /// Exactly six ASCII digits. Digits of other scripts are refused.
    case code
    /// A phone number in E.164 form, as answers have it.
    case phone
    /// A phone number in international form, in any usual spelling, as requests have it. ``normalized(_:)`` gives its
    /// E.164 form.
    case writtenPhone
    /// A phone number as another service reports it. ``normalized(_:)`` turns one that cannot be read into an empty
    /// text.
    case reportedPhone
    case email
    /// A machine-made text: visible ASCII characters.
    case opaque
    /// The bytes of a file in base64, which are read later: visible ASCII characters, as many as the schema allows.
    case encoded
    /// One line typed by a person: not blank, without control characters.
    case line
    /// Text typed by a person, which may have line breaks.
    case text
    /// Any text. It is validated later.
    case anything
    /// A whole number of at most nine digits.
    case number

    /// Whether `value` has the format.
    package func accepts(_ value: String) -> Bool {
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
        case .writtenPhone: return objection(to: value) == nil
        case .email:
            // The domain must be in ASCII, as DNS has it. A Unicode domain has many spellings, and each would count as
            // another address here but reach the same mailbox.
            return MailAddress(value) != nil
                && value.utf8.reversed().prefix { $0 != UInt8(ascii: "@") }.allSatisfy { $0 < 0x80 }
        case .opaque:
            return (1...Self.longestOpaque).contains(characters.count)
                && characters.allSatisfy { (0x21...0x7E).contains($0) }
        case .encoded: return characters.allSatisfy { (0x21...0x7E).contains($0) }
        case .line:
            return !Self.isBlank(value)
                && value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        case .reportedPhone, .anything: return true
        case .number: return (1...9).contains(characters.count) && characters.allSatisfy(Self.isDigit)
        case .text:
            return !Self.isBlank(value)
                && value.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
                }
        }
    }

    /// Whether the format allows ASCII characters only.
    package var isASCII: Bool {
        switch self {
        case .uuid, .date, .instant, .timeOfDay, .code, .phone, .opaque, .encoded, .number: true
        case .writtenPhone, .reportedPhone, .email, .line, .text, .anything: false
        }
    }

    /// The form of a valid `value` in which the database gets it.
    package func normalized(_ value: String) -> String {
        switch self {
        case .writtenPhone: (try? PhoneNumber(value))?.e164 ?? value
        case .reportedPhone: (try? PhoneNumber(value))?.e164 ?? ""
        default: value
        }
    }

    /// What is wrong with `value`, worded to follow the field's name; nil if it has the format.
    func objection(to value: String) -> String? {
        guard case .writtenPhone = self else { return accepts(value) ? nil : requirement }
        do throws(PhoneNumberProblem) {
            _ = try PhoneNumber(value)
            return nil
        } catch {
            return error.objection
        }
    }

    /// A valid value.
    package var example: String {
        switch self {
        case .uuid: "019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4"
        case .date: "2026-11-21"
        case .instant: "2026-11-21T09:00:00Z"
        case .timeOfDay: "09:00"
        case .code: "482915"
        case .phone, .writtenPhone, .reportedPhone: "+4915112345678"
        case .email: "alice@example.com"
        case .number: "1"
        case .encoded: "iVBORw0KGgo="
        case .opaque, .line, .text, .anything: "text"
        }
    }

    /// The requirement of a valid value, worded to follow the field's name.
    var requirement: String {
        switch self {
        case .uuid: "must be a UUID"
        case .date: "must be a date from 1900 on, like \(example)"
        case .instant: "must be an instant from 1900 on, like \(example)"
        case .timeOfDay: "must be a time of day like \(example)"
        case .code: "must be exactly 6 digits"
        case .phone: "must be a phone number in E.164 form, like \(example)"
        case .writtenPhone: "must be a phone number with its country code, like \(example)"
        case .email:
            "must be an e-mail address with its domain in ASCII, such as xn--bcher-kva.example for bücher.example"
        case .opaque: "must be 1 to \(Self.longestOpaque) visible ASCII characters"
        case .encoded: "must be base64 on one line"
        case .line: "must not be blank or hold control characters"
        case .text: "must not be blank or hold control characters other than line breaks"
        case .reportedPhone, .anything: "must be a string"
        case .number: "must be a number"
        }
    }

    /// The OpenAPI `format`, if there is one.
    package var name: String? {
        switch self {
        case .uuid: "uuid"
        case .date: "date"
        case .instant: "date-time"
        case .email: "email"
        case .timeOfDay, .code, .phone, .writtenPhone, .reportedPhone, .opaque, .encoded, .line, .text, .anything,
            .number:
            nil
        }
    }

    /// The allowed number of characters, unless the schema sets another.
    package var usualLength: ClosedRange<Int> {
        switch self {
        case .email: 3...254
        case .writtenPhone: 1...PhoneNumber.longest
        case .reportedPhone, .anything: 0...200
        default: 1...200
        }
    }

    /// Whether the format itself, or its pattern, fixes the length.
    package var hasOwnLength: Bool {
        switch self {
        case .uuid, .date, .instant, .timeOfDay, .code, .phone, .number: true
        case .writtenPhone, .reportedPhone, .email, .opaque, .encoded, .line, .text, .anything: false
        }
    }

    /// The OpenAPI `pattern`, for formats without a standard `format`.
    package var pattern: String? {
        switch self {
        case .timeOfDay: "^([01][0-9]|2[0-3]):[0-5][0-9]$"
        case .code: "^[0-9]{6}$"
        case .phone: "^\\+[1-9][0-9]{6,14}$"
        case .opaque, .encoded: "^[!-~]+$"
        case .line: Self.pattern(without: #"\u0000-\u001F\u007F-\u009F"#)
        case .text: Self.pattern(without: #"\u0000-\u0008\u000B-\u001F\u007F-\u009F"#)
        case .number: "^[0-9]{1,9}$"
        case .uuid, .date, .instant, .writtenPhone, .reportedPhone, .email, .anything: nil
        }
    }

    /// A pattern for texts without `characters` and with at least one non-blank character.
    private static func pattern(without characters: String) -> String {
        #"^[^\#(characters)]*[^\s\#(characters)][^\#(characters)]*$"#
    }

    /// Whether a person would see nothing of `text`: it has only white space, controls, combining marks and characters
    /// that are drawn as nothing, such as U+200B. `internal.is_name` has the same rule for names.
    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            // Most texts begin with a letter.
            if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
            let properties = scalar.properties
            if properties.isWhitespace || properties.isDefaultIgnorableCodePoint { return true }
            return switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
                true
            // The empty pattern of Braille.
            default: scalar == "\u{2800}"
            }
        }
    }

    /// The longest opaque text. A Web Push endpoint has some 200 characters, an APNs token 64.
    package static let longestOpaque = 1000

    private static func isDigit(_ character: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    }

    /// Whether `characters` match `pattern`, in which `d` stands for a digit and `h` for a hexadecimal digit.
    private static func matches(_ characters: [UInt8], _ pattern: String) -> Bool {
        guard characters.count == pattern.utf8.count else { return false }
        return zip(characters, pattern.utf8).allSatisfy { character, expected in
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
        // The database keeps no earlier date.
        guard year >= 1900, (1...12).contains(month) else { return false }
        let leap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    private static func isClock(_ characters: [UInt8]) -> Bool {
        matches(characters, "dd:dd:dd") && number(characters[0..<2]) < 24 && number(characters[3..<5]) < 60
            && number(characters[6..<8]) < 60
    }

    /// Whether `characters` are `Z` or `±HH:MM`, after an optional fraction of a second (RFC 3339, section 5.6).
    private static func isZone(_ characters: [UInt8]) -> Bool {
        var rest = characters[...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard (1...9).contains(digits.count) else { return false }
            rest = rest.dropFirst(1 + digits.count)
        }
        if rest.count == 1 { return rest.first == UInt8(ascii: "Z") || rest.first == UInt8(ascii: "z") }
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        // The database reads no zone further than 15:59 from UTC. The furthest in use is +14:00.
        return isClock(Array(rest.dropFirst()) + Array(":00".utf8)) && number(rest.dropFirst().prefix(2)) < 16
    }
}
