import Foundation

@testable import KithClient

/// Answers every call with a made-up value of its type, whose instants are near the server's time.
struct MadeUpCaller: KithCaller {
    /// The client that knows the time.
    let http: HTTPCaller
    let values: MadeUpValues
    var now: Date { http.now }

    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        if let nothing = () as? Answer { return nothing }
        guard let type = Answer.self as? any Decodable.Type, let answer = try values.make(type) as? Answer else {
            throw MadeUpValues.Unknown(type: "\(Answer.self)")
        }
        return answer
    }
}

/// Makes up values: a decoder of no text.
struct MadeUpValues: Sendable {
    struct Unknown: Error {
        let type: String
    }

    /// The time by the server's clock.
    let now: Date
    /// The seconds from then until what is still to come.
    let ahead: TimeInterval

    /// The choices that let screens say most. Every other is one that the library does not know.
    private static let choices = [
        "Role": "sender", "ConnectionStatus": "active", "AlarmStatus": "taken", "AlarmRole": "receiver",
        "VaultRole": "owner", "EmergencyStatus": "waiting", "NomineeStatus": "active", "AccessLevel": "full",
        "StateKind": "safe", "StateTone": "calm", "PingStatus": "completed", "InvitationKind": "nominee",
        "InvitationState": "pending", "SessionKind": "shared",
    ]

    /// What would end things, so that they go on.
    private static let absent = [
        "next_cursor", "locked_at", "resolved_at", "ended_at", "deleted_at", "held_until", "problem", "error",
        "read_at",
    ]

    func make<Value: Decodable>(_ type: Value.Type) throws -> Value { try make(type, []) }

    fileprivate func make<Value: Decodable>(_ type: Value.Type, _ path: [any CodingKey]) throws -> Value {
        let name = path.last?.stringValue ?? ""
        let made: Any? =
            switch type {
            case is Date.Type: instant(name)
            case is UUID.Type: UUID(uuidString: Made.alice)
            case is String.Type: "The \(name)"
            case is Int.Type: 30
            case is Double.Type: 1.5
            case is Bool.Type: false
            case is Kith.TimeOfDay.Type: Kith.TimeOfDay("09:00")
            case is Kith.LocalDate.Type: Kith.LocalDate("2026-11-21")
            case is Kith.JSON.Type: Kith.JSON.null
            default:
                (type as? any OpenChoice.Type)?.init(rawValue: Self.choices["\(type)"] ?? "made_up")
            }
        if let value = made as? Value { return value }
        return try Value(from: MadeUpDecoder(values: self, codingPath: path))
    }

    /// What ends a vault's session is in the middle of a minute, so that the minutes left do not depend on the seconds.
    private func instant(_ name: String) -> Date {
        if name == "expires_at" { return now + (ahead > 0 ? 690 : ahead) }
        let isToCome = ["until", "next", "deadline", "judge", "grants", "ends", "latest"].contains(where: name.contains)
        return now + (isToCome ? ahead : -1800)
    }

    fileprivate func has(_ key: any CodingKey, _ path: [any CodingKey]) -> Bool {
        path.count < 8 && !Self.absent.contains(key.stringValue)
    }
}

private struct MadeUpDecoder: Decoder, SingleValueDecodingContainer {
    let values: MadeUpValues
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MadeUpMembers<Key>(values: values, codingPath: codingPath))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { MadeUpList(values: values, codingPath: codingPath) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try values.make(type, codingPath)
    }
}

private struct MadeUpMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: MadeUpValues
    let codingPath: [any CodingKey]
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { values.has(key, codingPath) }
    func decodeNil(forKey key: Key) -> Bool { !values.has(key, codingPath) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try values.make(type, codingPath + [key])
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(MadeUpMembers<Nested>(values: values, codingPath: codingPath + [key]))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        MadeUpList(values: values, codingPath: codingPath + [key])
    }
    func superDecoder() -> any Decoder { MadeUpDecoder(values: values, codingPath: codingPath) }
    func superDecoder(forKey key: Key) -> any Decoder {
        MadeUpDecoder(values: values, codingPath: codingPath + [key])
    }
}

/// A list of one element.
private struct MadeUpList: UnkeyedDecodingContainer {
    let values: MadeUpValues
    let codingPath: [any CodingKey]
    var count: Int? { 1 }
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 || codingPath.count >= 8 }

    init(values: MadeUpValues, codingPath: [any CodingKey]) { (self.values, self.codingPath) = (values, codingPath) }

    func decodeNil() -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try values.make(type, codingPath)
    }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return KeyedDecodingContainer(MadeUpMembers<Nested>(values: values, codingPath: codingPath))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return MadeUpList(values: values, codingPath: codingPath)
    }
    mutating func superDecoder() -> any Decoder { MadeUpDecoder(values: values, codingPath: codingPath) }
}
