import Foundation
import JSON
import KithClient
import OpenAPI
import Testing

@testable import API

@Suite struct `The description of the API` {
    @Test func `describes each schema`() {
        let document = OpenAPIDocument.kith
        let bare = (document.components + document.bodies).filter { $0.summary.isEmpty }.map(\.name)
        #expect(bare == [])
    }

    @Test func `takes documents as large as the client says`() {
        #expect(KithDocuments.maximumSize == DocumentVersion.maximumSize)
    }

    @Test func `lets answers have members that it does not name, and requests none`() throws {
        let schemas = try schemas()
        let closed = { (name: String) in (schemas[name] as? [String: Any])?["additionalProperties"] as? Bool == false }
        #expect(!closed("Connection"))
        #expect(!closed("ConnectionPage"))
        #expect(closed("CreateConnectionRequest"))
        // Otherwise a thing with the status deleted would be both itself and gone.
        #expect(closed("Gone"))
    }

    @Test func `has one form of cursor`() {
        for operation in OpenAPIDocument.kith.operations {
            for parameter in operation.parameters where parameter.name == "cursor" {
                guard case .string(.opaque, _) = parameter.schema else {
                    Issue.record("the cursor of \(operation.operationID) is not opaque")
                    continue
                }
            }
        }
    }

    private func schemas() throws -> [String: Any] {
        let text = Data(OpenAPIDocument.kith.text(version: "1"))
        let document = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        return (document?["components"] as? [String: Any])?["schemas"] as? [String: Any] ?? [:]
    }
}
