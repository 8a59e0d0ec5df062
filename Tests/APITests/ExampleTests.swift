import HTTP
import JSON
import OpenAPI
import Problems
import Testing

@testable import API

@Suite struct `The examples in the OpenAPI document` {
    private func check(_ example: [UInt8], _ schema: JSONSchema, _ place: String) throws {
        // The checker accepts whole JSON texts; a single value is wrapped in an array.
        let document = try JSONDocument([UInt8(ascii: "[")] + example + [UInt8(ascii: "]")])
        var errors: [FieldError] = []
        try schema.check(#require(document.root.elements.first), at: "", into: &errors)
        #expect(errors.isEmpty, "\(place): \(String(decoding: example, as: UTF8.self)): \(errors)")
    }

    @Test func `of components match their schemas`() throws {
        for component in OpenAPIDocument.kith.components {
            try check(component.schema.example(), component.schema, component.name)
        }
    }

    @Test func `of bodies, answers and parameters match the server's validation`() throws {
        for endpoint in Endpoint.all {
            let place = "\(endpoint.method.rawValue) \(endpoint.path)"
            if let body = endpoint.body { try check(body.example(), body, place) }
            if let answer = endpoint.answer { try check(answer.example(), answer, place) }
            for parameter in endpoint.operation.parameters {
                try check(parameter.schema.example(of: parameter.name), parameter.schema, "\(place) \(parameter.name)")
            }
        }
    }

    @Test func `of a call for help and of an alarm's end say nothing that contradicts them`() throws {
        for name in ["callForHelp", "resolveAlarm", "reopenAlarm", "resolveTenantAlarm"] {
            let body = try #require(Endpoint.all.first { $0.operationID == name }?.body)
            #expect(!String(decoding: body.example(), as: UTF8.self).contains("All well"), "\(name)")
        }
    }

    @Test func `of refusals match the problem document's schema`() throws {
        for code in ProblemCode.all {
            var json = JSONWriter()
            json.object { Problem.example(of: code).write(into: &$0, requestID: Problem.exampleRequestID) }
            try check(json.bytes, JSONComponent.problem.schema, code.rawValue)
        }
    }

    @Test func `include every text, and none that no schema uses`() {
        var used: Set<String> = []
        var missing: Set<String> = []
        func walk(_ schema: JSONSchema, _ name: String, isShown: Bool = true) {
            used.insert(name)
            switch schema {
            case .string(let format, _):
                guard isShown, [.opaque, .line, .text, .anything].contains(format), !name.isEmpty else { return }
                if case .text(let text) = JSONExample.named[name], format.accepts(text) { return }
                missing.insert(name)
            case .oneOf, .integer, .number, .boolean, .anyObject: break
            case .nullable(let schema), .item(let schema): walk(schema, name, isShown: isShown)
            case .array(let element, _): walk(element, name, isShown: isShown)
            case .union(let shapes, _): for shape in shapes { walk(shape, name, isShown: isShown) }
            case .component(let component): walk(component.schema, "", isShown: isShown)
            case .object(let properties):
                for property in properties {
                    walk(property.schema, property.name, isShown: isShown && property.example == nil)
                }
            }
        }
        for component in OpenAPIDocument.kith.components { walk(component.schema, "") }
        for endpoint in Endpoint.all {
            if let body = endpoint.body { walk(body, "") }
            if let answer = endpoint.answer, endpoint.answerType != .html { walk(answer, "") }
            for parameter in endpoint.operation.parameters where parameter.name != "Idempotency-Key" {
                walk(parameter.schema, parameter.name)
            }
        }
        #expect(missing.isEmpty)
        #expect(Set(JSONExample.named.keys).subtracting(used).isEmpty)
    }
}
