import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// Sends every operation of the document to a real server, both as its examples show and with each possible mistake,
/// and checks each answer against the document. Each test has an installation of its own, because it runs every
/// operation, including those that change the tenant.
@Suite(.mayBlock) struct `The OpenAPI document` {
    private let house: SignInHouse

    init() throws {
        house = try SignInHouse()
    }

    /// The signed-in writes that work while the tenant is suspended.
    private static let worksWhileSuspended: Set = [
        "checkIn", "signOut", "callForHelp", "takeAlarm", "releaseAlarm", "resolveAlarm", "reopenAlarm", "noteAlarm",
        "askSender", "takeTenantAlarm", "resolveTenantAlarm", "reopenTenantAlarm", "noteTenantAlarm",
    ]

    private func each(
        _ body: @escaping @Sendable (DocumentedStage, OpenAPI.Operation, DocumentedCall) async throws -> Void
    ) async throws {
        let api = try await OpenAPI(house.client)
        #expect(api.operations.count > 60)
        for operation in api.operations {
            let stage = try await DocumentedStage(house, api)
            try await body(stage, operation, stage.call(operation))
        }
    }

    /// Expects a documented answer with that status and, for a refusal, that code.
    private static func expect(
        _ answer: APIClient.Answer, _ status: ClosedRange<Int>, _ code: String? = nil, _ stage: DocumentedStage,
        _ operation: OpenAPI.Operation, _ what: String = "", line: Int = #line
    ) throws {
        let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        let faults = try stage.api.faults(of: answer, to: operation)
        #expect(faults.isEmpty, "\(operation.id) \(what)", sourceLocation: place)
        #expect(status.contains(answer.status), "\(operation.id) \(what): \(answer.text)", sourceLocation: place)
        if let code {
            #expect(answer.code == code, "\(operation.id) \(what): \(answer.text)", sourceLocation: place)
            #expect(
                (try? JSON(answer.body))?["request_id"]?.string == answer.headers["x-request-id"],
                sourceLocation: place)
        }
    }

    @Test func `has one preparation step for each of its operations, and no others`() async throws {
        let api = try await OpenAPI(house.client)
        #expect(Set(api.operations.map(\.id)) == Set(Preparation.steps.keys))
    }

    @Test func `describes the answer to a valid request`() async throws {
        try await each { stage, operation, call in
            try Self.expect(try await call.send(stage.house.client), 200...299, nil, stage, operation)
        }
    }

    @Test func `describes the refusal of callers without permission`() async throws {
        try await each { stage, operation, call in
            guard operation.security != nil else { return }
            var call = call
            call.credential = nil
            try Self.expect(
                try await call.send(stage.house.client), 401...401, "unauthenticated", stage, operation, "as nobody")
            call.credential = operation.security == "accessToken" ? stage.key : stage.alice.token
            try Self.expect(
                try await call.send(stage.house.client), 403...403, "forbidden", stage, operation,
                "with the other credential")
        }
    }

    @Test func `describes the refusal of writes after the account or tenant ends, even with a cached token`()
        async throws
    {
        let (other, elsewhere) = try house.installation.serve()
        defer { other.signal(SIGTERM) }
        try await each { stage, operation, call in
            guard let scheme = operation.security, operation.method != "GET" else { return }
            if scheme == "accessToken" {
                let erin = try await Person.join(house.installation.acme, as: "Erin", elsewhere)
                #expect(try await erin.send("GET", "/v1/me").status == 200)
                let ended = try await stage.house.client.send("DELETE", "/v1/users/\(erin.id.text)", as: stage.key)
                #expect(ended.status == 204)
                var late = call
                late.credential = erin.token
                let answer = try await late.send(elsewhere)
                // Two operations look up the vault or profile before they write.
                let finds = ["createConnectionInvitation", "inviteNominees"].contains(operation.id)
                let code = finds ? "not_found" : "unauthenticated"
                try Self.expect(answer, 401...404, code, stage, operation, "by a deleted user")
                // By then that server has noticed.
                if !finds { #expect(try await erin.send("GET", "/v1/me").status == 401) }
            }
            // The credential was used before, so the server caches it for a minute.
            let path = scheme == "accessToken" ? "/v1/me" : "/v1/tenant"
            #expect(try await stage.house.client.send("GET", path, as: call.credential).status == 200)
            let session = try stage.house.installation.session()
            try session.execute("update kith.tenants set status = 'suspended'")
            let answer = try await call.send(stage.house.client)
            // An import reports the refusal in each line. A person needs some writes to be safe (A02), and alarms go
            // on.
            let works = Self.worksWhileSuspended.contains(operation.id)
            #expect(answer.text.contains("tenant_suspended") != works, "\(operation.id): \(answer.text)")
            try session.execute("update kith.tenants set status = 'active'")
            // If the minute passed just then, the server remembers the suspension for some seconds.
            while try await stage.house.client.send("GET", path, as: call.credential).status == 403 {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    @Test func `describes the answer to a caller from another tenant`() async throws {
        let mallory = try await Person.join(house.installation.globex, as: "Mallory", house.client)
        try await mallory.becomeSender()
        try await each { stage, operation, call in
            guard let scheme = operation.security else { return }
            var call = call
            call.credential = scheme == "accessToken" ? mallory.token : house.installation.globex.secretKey
            // After the last of these, the issuer in the examples would belong to globex.
            if ["deleteMe", "signOut", "addJwtKeys"].contains(operation.id) { return }
            let answer = try await call.send(stage.house.client)
            try Self.expect(answer, 200...499, nil, stage, operation, "by a caller of another tenant")
            // A resource that is named by its id is not found.
            if operation.path.contains("{id}") || operation.path.contains("{user_id}") {
                try Self.expect(answer, 404...404, "not_found", stage, operation, "by a caller of another tenant")
            }
        }
    }

    @Test func `describes the refusal of an invalid path or query`() async throws {
        try await each { stage, operation, call in
            let readsNoParameters = operation.responses["422"] == nil
            if !readsNoParameters {
                var unknown = call
                unknown.query["colour"] = "blue"
                try await Self.expectInvalid("colour", unknown.send(stage.house.client), stage, operation)
            }
            for parameter in operation.parameters where parameter["in"]?.string != "header" && !readsNoParameters {
                let name = try #require(parameter["name"]?.string)
                // No parameter's format accepts a blank.
                var wrong = call
                if parameter["in"]?.string == "path" { wrong.path[name] = "%20" } else { wrong.query[name] = "%20" }
                try await Self.expectInvalid(name, wrong.send(stage.house.client), stage, operation)
            }
        }
    }

    @Test func `describes the refusal of an invalid body, and names each field`() async throws {
        try await each { stage, operation, call in
            // Nothing in its form refuses a call for help. Its own tests are in Tests/EndToEnd/Alarms.
            guard let body = operation.body, operation.id != "callForHelp" else { return }
            let client = stage.house.client
            if body.type == "application/json" {
                try Self.expect(
                    try await call.send(client, text: "{"), 400...400, "invalid_request", stage, operation, "broken")
                try Self.expect(
                    try await call.send(client, text: "[]"), 422...422, "validation_failed", stage, operation, "array")
                var unknown = call
                unknown.body?["colour"] = "blue"
                try await Self.expectInvalid("colour", unknown.send(client), stage, operation)
                var schema = body.schema
                if let reference = schema["$ref"]?.string {
                    schema = try #require(stage.api.resolve(String(reference.dropFirst()))).part
                }
                var all = call
                for name in schema["properties"]?.object.keys.sorted() ?? [] {
                    // No member accepts an array within an array.
                    all.body?[name] = .array([.array([])])
                }
                let answer = try await all.send(client)
                for name in schema["properties"]?.object.keys.sorted() ?? [] {
                    try Self.expectInvalid(name, answer, stage, operation)
                }
                for name in schema["required"]?.array.compactMap(\.string) ?? [] {
                    var lacking = call
                    lacking.body?[name] = nil
                    try await Self.expectInvalid(name, lacking.send(client), stage, operation)
                }
            }
            let isPage = operation.responses["200"]?["content"]?["text/html"] != nil
            // An operation that accepts bytes accepts any valid media type.
            let takesBytes = body.type == "application/octet-stream"
            try Self.expect(
                try await call.send(client, text: "x", type: takesBytes ? "text" : "text/plain"), 415...415,
                isPage ? nil : "unsupported_media_type", stage, operation)
            let size = (takesBytes ? 26 : 5) << 20
            let large = try await Self.answer(to: call, with: String(repeating: " ", count: size), client)
            try Self.expect(large, 413...413, "payload_too_large", stage, operation)
        }
    }

    /// The answer to a body that the server does not read to its end. If the connection closes before everything is
    /// sent, the client sometimes loses the answer that came before (RFC 9112, section 9.6), and asks again.
    private static func answer(
        to call: DocumentedCall, with text: String, _ client: APIClient
    ) async throws -> APIClient.Answer {
        for _ in 0..<5 {
            if let answer = try? await call.send(client, text: text) { return answer }
        }
        return try await call.send(client, text: text)
    }

    @Test func `describes the refusal of an Accept header that no representation satisfies`() async throws {
        try await each { stage, operation, call in
            guard operation.responses["406"] != nil else { return }
            let answer = try await call.send(stage.house.client, accept: "image/png")
            let code = answer.headers["content-type"]?.hasPrefix("text/html") == true ? nil : "not_acceptable"
            try Self.expect(answer, 406...406, code, stage, operation)
        }
    }

    @Test func `describes the answer to a repeat with the same Idempotency-Key`() async throws {
        try await each { stage, operation, call in
            guard operation.parameters.contains(where: { $0["name"]?.string == "Idempotency-Key" }) else { return }
            var call = call
            call.headers["Idempotency-Key"] = UUID().uuidString
            let first = try await call.send(stage.house.client)
            // After signing out, the token cannot be used to repeat the request.
            guard operation.id != "signOut" else { return }
            let second = try await call.send(stage.house.client)
            try Self.expect(second, 200...299, nil, stage, operation, "repeated")
            #expect(second.body == first.body)
            #expect(second.headers["idempotent-replayed"] == "true")
            call.query["colour"] = "blue"
            call.query["colour"] = nil
            call.body = .object(["colour": "red"])
            let third = try await call.send(stage.house.client)
            let statuses = operation.responses["422"] == nil ? 200...299 : 422...422
            try Self.expect(third, statuses, nil, stage, operation, "with another body")
        }
    }

    @Test func `lists every method that a path accepts, and others get 405`() async throws {
        let api = try await OpenAPI(house.client)
        for (path, operations) in Dictionary(grouping: api.operations, by: \.path) {
            let answer = try await house.client.send("LOCK", path.replacing("{", with: "").replacing("}", with: ""))
            #expect(answer.status == 405)
            #expect(answer.code == "method_not_allowed")
            let allowed = Set((answer.headers["allow"] ?? "").split(separator: ", ").map(String.init))
            var documented = Set(operations.map(\.method))
            if documented.contains("GET") { documented.insert("HEAD") }
            #expect(allowed == documented, "\(path)")
        }
    }

    @Test func `describes the answer to too many requests`() async throws {
        let (server, client) = try house.installation.serve(["KITH_ADDRESS_LIMIT": "1/1"])
        defer { server.signal(SIGTERM) }
        // The limited server would not answer with the document either.
        let api = try await OpenAPI(house.client)
        #expect(api.operations.contains { $0.responses["429"] != nil })
        for operation in api.operations where operation.responses["429"] != nil {
            let call = DocumentedCall(operation, credential: nil)
            var answer = try await call.send(client)
            // One request a second is not refused.
            for _ in 0..<9 where answer.status != 429 { answer = try await call.send(client) }
            #expect(answer.status == 429, "\(operation.id)")
            let faults = try api.faults(of: answer, to: operation)
            #expect(faults.isEmpty, "\(operation.id)")
        }
    }

    private static func expectInvalid(
        _ field: String, _ answer: APIClient.Answer, _ stage: DocumentedStage, _ operation: OpenAPI.Operation,
        line: Int = #line
    ) throws {
        try expect(answer, 422...422, "validation_failed", stage, operation, field, line: line)
        let problem = try? answer.decode(Kith.Problem.self)
        #expect(
            problem?.errors?.contains { $0.field == field || $0.field.hasPrefix("\(field)[") } == true,
            "\(operation.id) \(field): \(answer.text)",
            sourceLocation: SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1))
    }
}
