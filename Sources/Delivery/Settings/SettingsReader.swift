internal import Contacts
internal import Foundation

/// Reads the members of a JSON object. It collects all errors, so that a person sees them at once.
struct SettingsReader {
    private let members: [String: Any]
    private var known: Set<String> = []
    private var errors: [ChannelSettingsError.FieldError] = []

    /// Reads `json`.
    ///
    /// - Throws: ``ChannelSettingsError`` when `json` is not an object.
    init(_ json: [UInt8]) throws(ChannelSettingsError) {
        guard let members = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
            throw ChannelSettingsError([.init(field: "", message: "must be a JSON object")])
        }
        self.members = members
    }

    private init(members: [String: Any]) {
        self.members = members
    }

    /// Records an error of a member.
    mutating func refuse(_ name: String, _ message: String) {
        errors.append(.init(field: name, message: message))
    }

    /// The text of an optional member. It may have at most `limit` bytes and no control characters. With `lines` it may
    /// have line breaks, as PEM has.
    mutating func text(_ name: String, atMost limit: Int = 200, lines: Bool = false) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value as? String else {
            refuse(name, "must be a string")
            return nil
        }
        guard (1...limit).contains(text.utf8.count) else {
            refuse(name, "must have 1 to \(limit) bytes, and has \(text.utf8.count)")
            return nil
        }
        let isClean = text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || (lines && ($0 == "\n" || $0 == "\r"))
        }
        guard isClean else {
            refuse(name, "must not contain control characters")
            return nil
        }
        return text
    }

    /// The text of a required member; empty, with an error recorded, when it is missing.
    mutating func requiredText(_ name: String, atMost limit: Int = 200, lines: Bool = false) -> String {
        require(name)
        return text(name, atMost: limit, lines: lines) ?? ""
    }

    /// The value of an optional member that must be one of a fixed set; `standard` when it is missing.
    mutating func choice<Value: RawRepresentable & CaseIterable>(_ name: String, _ standard: Value) -> Value
    where Value.RawValue == String {
        guard let text = text(name) else { return standard }
        guard let value = Value(rawValue: text) else {
            refuse(name, "must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            return standard
        }
        return value
    }

    /// The value of an optional member that must be an integer in `range`.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(name) else { return nil }
        // To Foundation a boolean is a number, of the type of a C character.
        guard let number = value as? NSNumber, String(cString: number.objCType) != "c", let integer = Int("\(number)")
        else {
            refuse(name, "must be an integer")
            return nil
        }
        guard range.contains(integer) else {
            refuse(name, "must be from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return integer
    }

    /// An e-mail address in ASCII, which every server accepts.
    mutating func address(_ name: String) -> MailAddress? {
        guard let text = text(name, atMost: 254) else { return nil }
        guard let address = MailAddress(text), !address.isInternational else {
            refuse(name, "must be an e-mail address of ASCII characters")
            return nil
        }
        return address
    }

    /// An `https` URL. Its destination is checked each time it is used, because the meaning of a name can change.
    mutating func url(_ name: String) -> String? {
        guard let text = text(name, atMost: 2000) else { return nil }
        do throws(OutboundURL.Refusal) {
            return try OutboundURL(text).text
        } catch {
            refuse(name, error.message)
            return nil
        }
    }

    /// Records an error when a required member is missing.
    mutating func require(_ name: String) {
        if value(name) == nil { refuse(name, "is required") }
    }

    /// The reader of an optional member that is an object.
    mutating func object(_ name: String) -> SettingsReader? {
        guard let value = value(name) else { return nil }
        guard let members = value as? [String: Any] else {
            refuse(name, "must be an object")
            return nil
        }
        return SettingsReader(members: members)
    }

    /// Ends the reading of the member `name`, and takes over its errors.
    mutating func take(errorsOf inner: inout SettingsReader, in name: String) {
        do throws(ChannelSettingsError) {
            try inner.finish()
        } catch {
            for one in error.errors { refuse("\(name).\(one.field)", one.message) }
        }
    }

    /// Ends the reading.
    ///
    /// - Throws: ``ChannelSettingsError`` when a member was wrong or is unknown.
    mutating func finish() throws(ChannelSettingsError) {
        for name in members.keys.sorted() where !known.contains(name) {
            refuse(String(name.prefix(200)), "is not a known field")
        }
        guard errors.isEmpty else { throw ChannelSettingsError(errors) }
    }

    private mutating func value(_ name: String) -> Any? {
        known.insert(name)
        let value = members[name]
        return value is NSNull ? nil : value
    }
}
