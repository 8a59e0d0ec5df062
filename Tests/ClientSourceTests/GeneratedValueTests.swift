import Foundation
import JSON
import KithClient
import OpenAPI
import Testing

@testable import API

/// The values of KithClient, held to the examples of the description.
@Suite struct `The generated values of KithClient` {
    /// The shapes of each schema, by its name in small letters, since Swift writes some words in capitals. Only a union
    /// has several.
    private static let shapes = Dictionary(
        OpenAPIDocument.kith.components.map { component in
            guard case .union(let shapes, _) = component.schema else {
                return (component.name.lowercased(), [component.schema])
            }
            return (component.name.lowercased(), shapes)
        }, uniquingKeysWith: { first, _ in first })

    @Test(arguments: GeneratedValue.all) func `read each example and write the same JSON`(value: GeneratedValue) throws
    {
        for shape in try #require(Self.shapes[value.name.lowercased()], "the description has no \(value)") {
            let example = Data(shape.example())
            let read = try Kith.decoder().decode(value.type, from: example)
            // An enum of a union has this case for what it does not know.
            #expect(Mirror(reflecting: read).children.first?.label != "unknown", "\(value) does not know \(shape)")
            #expect(
                try json(try Kith.encoder().encode(read)) == json(example),
                "\(String(decoding: example, as: UTF8.self))")
        }
    }

    /// A newer server may send more.
    @Test(arguments: GeneratedValue.all) func `read an object with a member that they do not know`(
        value: GeneratedValue
    ) throws {
        for shape in Self.shapes[value.name.lowercased()] ?? [] {
            let example = Data(shape.example())
            guard case .object(var members) = try json(example) else { continue }
            members["added_later"] = ["more": 1]
            let extended = try Kith.encoder().encode(Kith.JSON.object(members))
            let read = try Kith.decoder().decode(value.type, from: extended)
            #expect(try json(try Kith.encoder().encode(read)) == json(example))
        }
    }

    /// An older server lacks what was added since.
    @Test(arguments: GeneratedValue.all) func `read an object without its lists as one with empty lists`(
        value: GeneratedValue
    ) throws {
        for shape in Self.shapes[value.name.lowercased()] ?? [] {
            guard case .object(var members) = try json(Data(shape.example())) else { continue }
            for list in shape.lists { members[list] = nil }
            let read = try Kith.decoder().decode(value.type, from: Kith.encoder().encode(Kith.JSON.object(members)))
            for list in shape.lists { members[list] = .array([]) }
            #expect(try json(try Kith.encoder().encode(read)) == .object(members))
        }
    }

    @Test func `are no empty page if the items are missing`() {
        #expect(throws: DecodingError.self) {
            try Kith.decoder().decode(Kith.ConnectionPage.self, from: Data(#"{"next_cursor":null}"#.utf8))
        }
    }

    /// The JSON without the members that are null, which a value leaves out, and with each id as the server writes it.
    /// Swift writes ids in capitals, which the server reads as well.
    private func json(_ text: Data) throws -> Kith.JSON {
        func compact(_ value: Kith.JSON) -> Kith.JSON {
            switch value {
            case .object(let members): .object(members.filter { $0.value != .null }.mapValues(compact))
            case .array(let elements): .array(elements.map(compact))
            case .string(let text) where UUID(uuidString: text) != nil: .string(text.lowercased())
            default: value
            }
        }
        return compact(try Kith.decoder().decode(Kith.JSON.self, from: text))
    }
}

extension JSONSchema {
    /// The names of an object's required lists, without the items of a page.
    fileprivate var lists: [String] {
        switch self {
        case .component(let component): component.schema.lists
        case .object(let properties):
            properties.filter { property in
                guard property.required, property.name != "items", case .array = property.schema else { return false }
                return true
            }.map(\.name)
        default: []
        }
    }
}
