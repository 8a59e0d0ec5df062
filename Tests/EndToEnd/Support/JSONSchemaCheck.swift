import Foundation

/// Checks values against the part of JSON Schema 2020-12 that our documents use. An unknown keyword is a fault too, so that no part of
/// a schema goes unchecked.
struct JSONSchemaCheck {
    /// The document that references point into.
    let document: JSON
    private(set) var faults: [String] = []

    private static let annotations: Set<String> = ["description", "examples", "example"]

    init(document: JSON) {
        self.document = document
    }

    /// The schema that `#/components/…` refers to.
    func resolve(_ reference: String) -> JSON? {
        reference.split(separator: "/").dropFirst().reduce(document) { value, name in value?[String(name)] }
    }

    mutating func check(_ value: JSON, _ schema: JSON, at path: String = "$") {
        for (keyword, rule) in schema.object.sorted(by: { $0.key < $1.key })
        where !Self.annotations.contains(keyword) {
            switch keyword {
            case "$ref":
                guard let target = rule.string.flatMap(resolve) else { return refuse(path, "\(rule) leads nowhere") }
                check(value, target, at: path)
            case "type": if !Self.has(value, type: rule.string ?? "") { refuse(path, "is no \(rule): \(value)") }
            case "enum": if !rule.array.contains(value) { refuse(path, "\(value) is none of \(rule.array)") }
            case "const": if rule != value { refuse(path, "\(value) is not \(rule)") }
            case "anyOf": checkAny(value, rule.array, path)
            case "oneOf": checkOne(value, rule.array, path)
            case "discriminator":
                let tag = rule["propertyName"]?.string.flatMap { value[$0]?.string } ?? ""
                guard let shape = rule["mapping"]?[tag]?.string.flatMap(resolve) else {
                    return refuse(path, "\(tag) is no shape of \(rule)")
                }
                check(value, shape, at: path)
            case "pattern", "format", "minLength", "maxLength": checkText(value.string ?? "", keyword, rule, path)
            case "minimum": if (value.number ?? 0) < rule.number ?? 0 { refuse(path, "\(value) is below \(rule)") }
            case "maximum": if (value.number ?? 0) > rule.number ?? 0 { refuse(path, "\(value) is above \(rule)") }
            case "items":
                for (index, element) in value.array.enumerated() { check(element, rule, at: "\(path)[\(index)]") }
            case "minItems": if value.array.count < Int(rule.number ?? 0) { refuse(path, "has too few items") }
            case "maxItems": if value.array.count > Int(rule.number ?? 0) { refuse(path, "has too many items") }
            case "properties":
                for (name, schema) in rule.object {
                    if let member = value[name] { check(member, schema, at: "\(path).\(name)") }
                }
            case "required":
                for name in rule.array.compactMap(\.string) where value[name] == nil { refuse(path, "lacks \(name)") }
            case "additionalProperties" where rule == .bool(true): break
            case "additionalProperties":
                for name in value.object.keys where schema["properties"]?[name] == nil {
                    refuse(path, "has the undocumented member \(name)")
                }
            default: refuse(path, "the check does not know \(keyword)")
            }
        }
    }

    private mutating func refuse(_ path: String, _ message: String) {
        faults.append("\(path) \(message)")
    }

    private mutating func checkAny(_ value: JSON, _ options: [JSON], _ path: String) {
        let attempts = attempts(value, options, path)
        if !attempts.contains([]) { faults += attempts.first ?? [] }
    }

    private mutating func checkOne(_ value: JSON, _ options: [JSON], _ path: String) {
        let attempts = attempts(value, options, path)
        switch attempts.count(where: \.isEmpty) {
        case 0: faults += attempts.first ?? []
        case 1: break
        case let count: refuse(path, "matches \(count) of \(options): \(value)")
        }
    }

    /// The faults of the value by each of the schemas.
    private func attempts(_ value: JSON, _ options: [JSON], _ path: String) -> [[String]] {
        options.map { option in
            var attempt = JSONSchemaCheck(document: document)
            attempt.check(value, option, at: path)
            return attempt.faults
        }
    }

    private mutating func checkText(_ text: String, _ keyword: String, _ rule: JSON, _ path: String) {
        switch keyword {
        case "minLength" where text.unicodeScalars.count < Int(rule.number ?? 0): refuse(path, "is too short: \(text)")
        case "maxLength" where text.unicodeScalars.count > Int(rule.number ?? 0): refuse(path, "is too long: \(text)")
        case "pattern":
            let isMatch = (try? Regex(rule.string ?? "").firstMatch(in: text)) != nil
            if !isMatch { refuse(path, "does not match \(rule): \(text)") }
        case "format": if !Self.has(text, format: rule.string ?? "") { refuse(path, "is no \(rule): \(text)") }
        default: break
        }
    }

    private static func has(_ value: JSON, type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"), (.object, "object"): true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }

    private static func has(_ text: String, format: String) -> Bool {
        switch format {
        case "uuid": UUID(uuidString: text) != nil
        case "date": text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil
        case "date-time": text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
        case "email": text.contains("@")
        default: false
        }
    }
}
