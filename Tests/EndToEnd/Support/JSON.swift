import Foundation

/// A JSON value of any shape.
enum JSON: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Does not use `Decodable`, which would try one kind after another: the testing library records a backtrace for
    /// each error thrown.
    init(_ data: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .array(elements.map { JSON($0) })
        case let members as [String: Any]: self = .object(members.mapValues { JSON($0) })
        // A boolean is an NSNumber of this type too.
        case let number as NSNumber where number.objCType.pointee == CChar(UInt8(ascii: "c")):
            self = .bool(number.boolValue)
        case let number as NSNumber: self = .number(number.doubleValue)
        default: self = .null
        }
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try String(decoding: encoder.encode(self), as: UTF8.self)
        }
    }

    /// The same without the instant for which a `state` in it holds, which is another one for each reader.
    var timeless: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.timeless))
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { key, value in
                        guard key == "state", case .object(var state) = value else { return (key, value.timeless) }
                        state["at"] = nil
                        return (key, .object(state))
                    }))
        default: self
        }
    }

    var object: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var array: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The names of its members and the kinds of their values; for `type` and `status`, the values themselves.
    var shape: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array(let elements): "[\(elements.first?.shape ?? "")]"
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { name, value in
                let isKind = ["type", "status"].contains(name)
                return "\(name):\(isKind ? value.string ?? value.shape : value.shape)"
            }.joined(separator: ",")
        }
    }

    subscript(name: String) -> JSON? {
        get { object[name] }
        set {
            var members = object
            members[name] = newValue
            self = .object(members)
        }
    }
}

extension JSON: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = .string(text) }
}
