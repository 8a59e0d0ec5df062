import Foundation

/// The file `Texts/en.json`, and the Swift that is generated from it.
enum TextSource {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/KithClient/Texts")
    static let swift = folder.appending(path: "KithTexts+english.swift")

    /// A text: its key, and its words or its plural forms.
    struct Text {
        let key: String
        let forms: [String: String]
        let isPlural: Bool

        /// The parameters in the order in which they stand, `count` aside.
        var parameters: [String] {
            var names: [String] = []
            for words in forms.sorted(by: { $0.key > $1.key }).map(\.value) {
                for match in words.matches(of: /\{([a-z_]+)\}/) where !names.contains(String(match.1)) {
                    names.append(String(match.1))
                }
            }
            return names.filter { $0 != "count" }
        }

        var name: String {
            let words = key.split { $0 == "." || $0 == "_" }
            return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// The texts, sorted by key.
    static func texts() throws -> [Text] {
        let data = try Data(contentsOf: folder.appending(path: "en.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        return object.map { key, value in
            if let words = value as? String { return Text(key: key, forms: ["other": words], isPlural: false) }
            return Text(key: key, forms: value as? [String: String] ?? [:], isPlural: true)
        }.sorted { $0.key < $1.key }
    }

    /// The generated Swift.
    static func generated() throws -> String {
        let texts = try texts()
        var lines = [
            "// swift-format-ignore-file", "// Generated from en.json by `make texts`. Change that file instead.", "",
            "extension KithTexts {",
            "    static let englishTexts: [String: Text] = [",
        ]
        for text in texts {
            if text.isPlural {
                let forms = text.forms.sorted { $0.key < $1.key }.map { ".\($0.key): \(literal($0.value))" }
                lines += [
                    "        \(literal(text.key)): .plural([",
                    "            \(forms.joined(separator: ",\n            ")),",
                    "        ]),",
                ]
            } else {
                lines += [
                    "        \(literal(text.key)):", "            .plain(\(literal(text.forms["other"] ?? ""))),",
                ]
            }
        }
        lines.append("    ]")
        for text in texts {
            lines += ["", "    /// “\(text.forms["other"] ?? "")”"]
            var parameters = text.parameters.map { "\($0): String" }
            if text.isPlural { parameters.append("count: Int") }
            let values = text.parameters.map { "\"\($0)\": \($0)" }.joined(separator: ", ")
            var arguments = values.isEmpty ? "" : ", [\(values)]"
            if text.isPlural { arguments += ", count: count" }
            let call = "known(\(literal(text.key))\(arguments))"
            if parameters.isEmpty {
                lines.append("    public var \(text.name): String { \(call) }")
            } else {
                lines += [
                    "    public func \(text.name)(\(parameters.joined(separator: ", "))) -> String {",
                    "        \(call)",
                    "    }",
                ]
            }
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private static func literal(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
