internal import JSON

extension ClientTypes {
    /// The declaration of `type`, without the extension of `Kith` around it.
    func source(of type: ClientType) -> String {
        switch type.schema {
        case .oneOf(let values): choice(type, values)
        case .union(let shapes, let tag): union(type, shapes, tag)
        default: structure(type)
        }
    }

    private func choice(_ type: ClientType, _ values: [String]) -> String {
        var text = comment(type).text("") + "public struct \(type.name): OpenChoice {\n"
        text += "/// The text of the API.\npublic let rawValue: String\n\n"
        text += "/// Creates a value from the text of the API, whether this library knows it or not.\n"
        text += "public init(rawValue: String) {\nself.rawValue = rawValue\n}\n\n"
        for value in values {
            text += "/// `\(value)`\n"
            let name = SwiftName.escaped(SwiftName.member(value))
            text += "public static let \(name) = \(type.name)(rawValue: \"\(value)\")\n"
        }
        return text + "}\n"
    }

    // MARK: - Structs

    private func structure(_ type: ClientType) -> String {
        let members = members(of: type)
        let isPage = isPage(members)
        var protocols = type.isSentOnly ? "Encodable, Sendable, Hashable" : "Codable, Sendable, Hashable"
        if isPage { protocols += ", Page" }
        var text = comment(type).text("") + "public struct \(type.name): \(protocols) {\n"
        for member in members {
            text += comment(member).text("")
            text += "public var \(SwiftName.escaped(member.name)): \(member.declaredType)\n"
        }
        if !members.isEmpty { text += "\n" }
        text += initializer(type, members)
        let readsLists = type.isReceived && members.contains(where: \.canBeAbsent)
        if readsLists || members.contains(where: { $0.name != $0.property.name }) || needsEncoding(type, members) {
            text += "\nprivate enum CodingKeys: String, CodingKey {\n"
            for member in members {
                let key = member.name == member.property.name ? "" : " = \"\(member.property.name)\""
                text += "case \(SwiftName.escaped(member.name))\(key)\n"
            }
            text += "}\n"
        }
        if readsLists { text += decoding(members) }
        if needsEncoding(type, members) { text += encoding(members) }
        return text + "}\n"
    }

    /// Whether the synthesised encoding would send something else: it leaves out what must be there as `null`.
    private func needsEncoding(_ type: ClientType, _ members: [ClientMember]) -> Bool {
        type.isSent && members.contains { $0.isChange || $0.isNullable && $0.property.required }
    }

    private func initializer(_ type: ClientType, _ members: [ClientMember]) -> String {
        let parameters = members.map { member in
            let value = member.defaultValue.map { " = \($0)" } ?? ""
            return "\(SwiftName.escaped(member.name)): \(member.declaredType)\(value)"
        }
        var text = "/// Creates a value from its members.\npublic init(\(parameters.joined(separator: ", "))) {\n"
        for member in members { text += "self.\(member.name) = \(SwiftName.escaped(member.name))\n" }
        return text + "}\n"
    }

    private func decoding(_ members: [ClientMember]) -> String {
        var text =
            "\n/// Decodes the value. A list that an older server does not send is empty.\n"
            + "public init(from decoder: any Decoder) throws {\n"
            + "let container = try decoder.container(keyedBy: CodingKeys.self)\n"
        for member in members {
            let isOptional = member.isNullable || !member.property.required
            let function = isOptional || member.canBeAbsent ? "decodeIfPresent" : "decode"
            text +=
                """
                self.\(member.name) = try container.\(function)(\(member.type).self, forKey: \
                .\(SwiftName.escaped(member.name)))
                """
                + (member.canBeAbsent ? " ?? []\n" : "\n")
        }
        return text + "}\n"
    }

    private func encoding(_ members: [ClientMember]) -> String {
        var text =
            "\n/// Encodes the value as the API reads it.\npublic func encode(to encoder: any Encoder) throws {\n"
        text += "var container = encoder.container(keyedBy: CodingKeys.self)\n"
        for member in members {
            let name = SwiftName.escaped(member.name)
            if member.isChange {
                text += "try container.encode(change: \(name), forKey: .\(name))\n"
            } else if member.property.required {
                text += "try container.encode(\(name), forKey: .\(name))\n"
            } else {
                text += "try container.encodeIfPresent(\(name), forKey: .\(name))\n"
            }
        }
        return text + "}\n"
    }

    private func isPage(_ members: [ClientMember]) -> Bool {
        members.contains { $0.name == "items" } && members.contains { $0.name == "nextCursor" }
    }

    // MARK: - Unions

    /// A shape of a union, as a case of an enum.
    struct UnionCase {
        let name: String
        let type: String
        /// The values of the tag by which it is known.
        let values: [String]
        /// The members that have only one text.
        let constants: [ClientMember]
    }

    /// The cases of the enum for a union of `shapes`, which the member `tag` tells apart if there is one.
    func cases(of type: ClientType, _ shapes: [JSONSchema], _ tag: String?) -> [UnionCase] {
        shapes.enumerated().map { index, shape in
            let name = self.type(of: shape, named: "\(type.name)\(index + 1)")
            let values = tag.map { shape.values(of: $0) } ?? []
            let members = self[name].map { self.members(of: $0) } ?? []
            let title =
                values.first.map(SwiftName.member) ?? (name.hasPrefix("Gone") ? "gone" : SwiftName.decapitalized(name))
            return UnionCase(
                name: title, type: name, values: values,
                constants: members.filter { $0.constant != nil && !$0.isNullable && $0.property.required })
        }
    }

    private func union(_ type: ClientType, _ shapes: [JSONSchema], _ tag: String?) -> String {
        let cases = cases(of: type, shapes, tag)
        let protocols = type.isSentOnly ? "Encodable, Sendable, Hashable" : "Codable, Sendable, Hashable"
        var text = comment(type).text("") + "public enum \(type.name): \(protocols) {\n"
        for shape in cases {
            let about = self[shape.type]?.summary ?? ""
            let name = self[shape.type] == nil ? "`\(shape.type)`" : "``Kith/\(shape.type)``"
            text += DocComment(about.isEmpty ? "A \(name)." : about).text("")
            text += "case \(SwiftName.escaped(shape.name))(\(shape.type))\n"
        }
        text += "/// A shape that this library does not know.\ncase unknown(JSON)\n"
        if !type.isSentOnly { text += decoding(cases, tag, isLenient: type.name == "WebhookEvent") }
        if type.name == "StreamEvent" { text += assembly(cases) }
        text += "\n/// Encodes the value as it is in the API.\npublic func encode(to encoder: any Encoder) throws {\n"
        text += "switch self {\n"
        for name in cases.map(\.name) + ["unknown"] {
            text += "case .\(name)(let value): try value.encode(to: encoder)\n"
        }
        return text + "}\n}\n}\n"
    }

    /// The initializer of a union from JSON. In a lenient one, a shape that cannot be read is unknown: one event must
    /// not hold up those beside it.
    private func decoding(_ cases: [UnionCase], _ tag: String?, isLenient: Bool) -> String {
        var text = "\n/// Decodes the shape that the value has.\npublic init(from decoder: any Decoder) throws {\n"
        if let tag {
            text += "switch try decoder.text(of: \"\(tag)\") {\n"
            for shape in cases {
                let values = shape.values.map { "\"\($0)\"" }.joined(separator: ", ")
                let value =
                    isLenient
                    ? "try (try? \(shape.type)(from: decoder)).map(Self.\(shape.name)) ?? .unknown(JSON(from: decoder))"
                    : ".\(shape.name)(try \(shape.type)(from: decoder))"
                text += "case \(values): self = \(value)\n"
            }
            text += "default: self = .unknown(try JSON(from: decoder))\n}\n"
        } else {
            for (index, shape) in cases.enumerated() {
                let tests =
                    ["let value = try? \(shape.type)(from: decoder)"]
                    + shape.constants.map {
                        "value.\($0.name) == \"\($0.constant ?? "")\""
                    }
                text += "\(index == 0 ? "" : "} else ")if \(tests.joined(separator: ", ")) {\n"
                text += "self = .\(shape.name)(value)\n"
            }
            text += "} else {\nself = .unknown(try JSON(from: decoder))\n}\n"
        }
        return text + "}\n"
    }

    /// The initializer of an event of the stream, whose members come as lines and not as one text in JSON.
    private func assembly(_ cases: [UnionCase]) -> String {
        var text =
            "\n/// Takes the lines of an event, of which only the data is JSON; nil for a type that is unknown.\n"
            + "init?(id: String, event: String, data: Data, by decoder: JSONDecoder) throws {\nswitch event {\n"
        for shape in cases {
            guard let members = self[shape.type].map({ members(of: $0) }),
                let data = members.first(where: { $0.name == "data" })
            else { continue }
            let values = shape.values.map { "\"\($0)\"" }.joined(separator: ", ")
            text += "case \(values):\n"
            text += "self = .\(shape.name)(.init(id: id, data: try decoder.decode(\(data.type).self, from: data)))\n"
        }
        return text + "default: return nil\n}\n}\n"
    }

    // MARK: - Documentation

    private func comment(_ type: ClientType) -> DocComment {
        DocComment(type.summary.isEmpty ? "`\(type.name)` of the API." : DocComment.sentence(type.summary))
    }

    private func comment(_ member: ClientMember) -> DocComment {
        var sentences = DocComment.sentence(member.property.summary)
        if sentences.isEmpty { sentences = "`\(member.property.name)` of the API." }
        return DocComment(sentences)
    }
}
