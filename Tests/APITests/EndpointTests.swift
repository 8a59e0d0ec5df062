import Foundation
import HTTP
import JSON
import OpenAPI
import Postgres
import Problems
import Testing

@testable import API

@Suite struct `The endpoints` {
    @Test func `exist once each`() {
        let names = Endpoint.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(names).count == names.count)
    }

    @Test func `get the path's parameters in the path's order`() {
        for endpoint in Endpoint.all {
            let inPath = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let taken = endpoint.parameters.compactMap { if case .path(let name, _) = $0 { name[...] } else { nil } }
            #expect(taken == inPath, "\(endpoint.path)")
        }
    }

    @Test func `are all documented, with resolvable references and unique operation ids`() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.kith.text(version: "1"))) as? [String: Any])
        #expect(document["openapi"] as? String == "3.1.0")
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        for endpoint in Endpoint.all {
            #expect(paths[endpoint.path]?[endpoint.method.rawValue.lowercased()] != nil, "\(endpoint.path)")
        }
        let ids = paths.values.flatMap { $0.values.compactMap { $0["operationId"] as? String } }
        #expect(ids.count == Endpoint.all.count)
        #expect(Set(ids).count == ids.count)
        #expect(ids.filter { $0.wholeMatch(of: /[a-z]([A-Z]?[a-z])+/) == nil } == [], "these are not in camel case")
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let text = String(decoding: OpenAPIDocument.kith.text(version: "1"), as: UTF8.self)
        for match in text.matches(of: /#\/components\/schemas\/([A-Za-z]+)/) {
            #expect(schemas[String(match.1)] != nil, "\(match.1)")
        }
    }

    @Test func `use a named schema for each object and for each choice of values`() throws {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.kith.text(version: "1")))
        var nameless: [String] = []
        func walk(_ value: Any, _ path: [String]) {
            if let array = value as? [Any] { return array.forEach { walk($0, path) } }
            guard let object = value as? [String: Any] else { return }
            // A generated client would name such a type after its place, and once more in each place.
            let isNamed = path.count == 3 && path.starts(with: ["components", "schemas"])
            if !isNamed, object["properties"] is [String: Any] || object["enum"] is [Any] {
                nameless.append(path.joined(separator: "/"))
            }
            for (key, member) in object where !["example", "examples"].contains(key) { walk(member, path + [key]) }
        }
        walk(document, [])
        #expect(nameless == [])
    }

    @Test func `give each name to one schema`() {
        var written: [String: [UInt8]] = [:]
        func walk(_ schema: JSONSchema) {
            switch schema {
            case .component(let component):
                var json = JSONWriter()
                json.object { component.schema.write(into: &$0) }
                if let other = written.updateValue(json.bytes, forKey: component.name) {
                    #expect(other == json.bytes, "\(component.name)")
                } else {
                    walk(component.schema)
                }
            case .array(let element, _): walk(element)
            case .nullable(let schema), .item(let schema): walk(schema)
            case .union(let shapes, _): shapes.forEach(walk)
            case .object(let properties): for property in properties { walk(property.schema) }
            case .string, .oneOf, .integer, .number, .boolean, .anyObject: break
            }
        }
        for endpoint in Endpoint.all {
            for parameter in endpoint.operation.parameters { walk(parameter.schema) }
            (endpoint.operation.bodyComponent.map { .component($0) } ?? endpoint.body).map(walk)
            endpoint.answer.map(walk)
        }
        walk(.component(.webhookBatch))
        walk(.component(.problem))
        let documented = OpenAPIDocument.kith.components + OpenAPIDocument.kith.bodies
        #expect(documented.map(\.name).sorted() == written.keys.sorted())
    }

    @Test func `that write each state what bounds the growth of data`() {
        let unbounded = Endpoint.all.filter { $0.bound == nil }
        #expect(unbounded.filter { $0.method != .get }.map(\.path) == [])
        let writing = unbounded.filter {
            if case .procedure(let procedure) = $0.work { procedure.lane != .reads } else { false }
        }
        // These record a nominee's activity, at most once a minute, by updating a row in place.
        let visits = [
            "api.list_documents", "api.get_document", "api.list_messages", "api.list_nominees", "api.get_nominee",
            "api.get_transfer", "api.get_share",
        ]
        let others = writing.filter {
            if case .procedure(let procedure) = $0.work { !visits.contains(procedure.name) } else { true }
        }
        #expect(others.map(\.path) == [])
    }

    @Test func `limit a body to what a valid one needs, except for imports and streamed documents`() {
        #expect(APIServer.bodyRule(.post, "/v1/users:import") == HTTPBodyRule(maximum: 4 << 20))
        #expect(APIServer.bodyRule(.post, "/v1/tenant/import") == HTTPBodyRule(maximum: 4 << 20))
        let document = HTTPBodyRule(maximum: 25 << 20, isStreamed: true)
        #expect(APIServer.bodyRule(.post, "/v1/vaults/x/documents") == document)
        #expect(APIServer.bodyRule(.put, "/v1/vaults/x/documents/y") == document)
        for (method, path) in [
            (HTTPMethod.post, "/v1/auth/refresh"), (.get, "/v1/me"), (.delete, "/v1/me"), (.post, "/v1/vaults"),
        ] {
            #expect(APIServer.bodyRule(method, path) == HTTPBodyRule(maximum: 16 << 10), "\(path)")
        }
        #expect(APIServer.bodyRule(.post, "/v1/connection-invitations") == HTTPBodyRule(maximum: 1 << 20))
        for path in ["/v1/alarms", "/help"] {
            #expect(APIServer.bodyRule(.post, path) == HTTPBodyRule(maximum: 16 << 10, isCutOff: true), "\(path)")
        }
        #expect(APIServer.bodyRule(.patch, "/v1/nowhere") == nil)
        #expect(Endpoint.all.allSatisfy { !$0.streamsBody || $0.maximumBody != nil })
    }

    @Test func `that need no credential accept only small bodies with few values`() {
        for endpoint in Endpoint.all {
            guard case .open = endpoint.caller else { continue }
            // The server drops the body of a thing, and neither keeps nor reads it.
            let isDropped = endpoint.path == "/s/{token}"
            #expect(endpoint.bodyRule.maximum <= (isDropped ? 1 << 20 : 16 << 10), "\(endpoint.path)")
            #expect(endpoint.maximumValues < 200, "\(endpoint.path)")
        }
    }

    /// What each call that can be repeated needs besides that its caller can see what the answer names. A new call must
    /// be added here, or say which right it needs.
    @Test func `that can be repeated say which right their kept answer needs`() {
        let repeatable = Endpoint.all.filter(\.takesIdempotencyKey)
        #expect(repeatable.filter { $0.repeatRight == nil }.map(\.operationID) == [])
        #expect(Endpoint.all.filter { $0.repeatRight != nil && !$0.takesIdempotencyKey }.map(\.operationID) == [])
        let byVault = repeatable.filter { $0.path.hasPrefix("/v1/vaults") }
        let vaultRights = byVault.filter { if case .vault = $0.repeatRight { true } else { false } }
        #expect(vaultRights.count == byVault.count, "an answer about a vault needs a right in the vault")
        #expect(
            repeatable.filter { $0.repeatRight == .own }.map(\.operationID)
                == ["checkIn", "callForHelp", "askSender", "drillAlarm"])
        let bySight = repeatable.filter { $0.repeatRight == .sight }.map(\.operationID)
        #expect(
            Set(bySight) == [
                // About the caller, a connection, or an invitation that the caller answers.
                "verifyContact", "giveFeedback", "signOut", "createSign", "markNotificationRead",
                "markAllNotificationsRead",
                "createConnection", "pauseConnection", "resumeConnection", "consentToConnection", "testConnection",
                "answerConnectionTest", "acceptInvitation",
                "declineInvitation", "acceptOwnInvitation", "declineOwnInvitation", "takeInvitationDraft",
                "reportMissingShare",
                // Of an alarm, which its people see.
                "takeAlarm", "releaseAlarm", "resolveAlarm", "reopenAlarm", "noteAlarm",
                // Of a tenant's server, whose scope is checked before each request.
                "createUser", "importUsers", "importItems", "mintToken", "makeSignInLink", "createApiKey", "addJwtKeys",
                "createWebhook",
                "rotateWebhookSecret", "takeTenantAlarm", "resolveTenantAlarm", "reopenTenantAlarm",
                "noteTenantAlarm",
            ])
    }

    @Test func `document the limit of a body`() throws {
        let text = String(decoding: OpenAPIDocument.kith.text(version: "1"), as: UTF8.self)
        #expect(text.contains("At most 16384 bytes."))
        #expect(text.contains("At most \(25 << 20) bytes."))
    }
}
