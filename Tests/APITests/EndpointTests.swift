import Foundation
import HTTP
import Testing

@testable import API

@Suite struct `The endpoints` {
    @Test func `are each there once`() {
        let names = Endpoint.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(names).count == names.count)
    }

    @Test func `take their path's parameters in the path's order`() {
        for endpoint in Endpoint.all {
            let inPath = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let taken = endpoint.parameters.compactMap { if case .path(let name, _) = $0 { name[...] } else { nil } }
            #expect(taken == inPath, "\(endpoint.path)")
        }
    }

    @Test func `are documented, every one, with resolvable references and unique operation ids`() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.text)) as? [String: Any])
        #expect(document["openapi"] as? String == "3.1.0")
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        for endpoint in Endpoint.all {
            #expect(paths[endpoint.path]?[endpoint.method.rawValue.lowercased()] != nil, "\(endpoint.path)")
        }
        let ids = paths.values.flatMap { $0.values.compactMap { $0["operationId"] as? String } }
        #expect(ids.count == Endpoint.all.count)
        #expect(Set(ids).count == ids.count)
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let text = String(decoding: OpenAPIDocument.text, as: UTF8.self)
        for match in text.matches(of: /#\/components\/schemas\/([A-Za-z]+)/) {
            #expect(schemas[String(match.1)] != nil, "\(match.1)")
        }
    }

    @Test func `take a body of a megabyte, but for an import and for documents, which are streamed`() {
        #expect(APIServer.bodyRule(.post, "/v1/users:import") == HTTPBodyRule(maximum: 4 << 20))
        let document = HTTPBodyRule(maximum: 25 << 20, isStreamed: true)
        #expect(APIServer.bodyRule(.post, "/v1/vaults/x/documents") == document)
        #expect(APIServer.bodyRule(.put, "/v1/vaults/x/documents/y") == document)
        #expect(APIServer.bodyRule(.patch, "/v1/vaults/x/documents/y") == nil)
        #expect(APIServer.bodyRule(.post, "/v1/vaults") == nil)
        #expect(Endpoint.all.allSatisfy { !$0.streamsBody || $0.maximumBody != nil })
    }
}
