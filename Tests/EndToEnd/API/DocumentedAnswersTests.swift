import Foundation
import KithClient
import TestThreads
import Testing

/// Every answer that a test gets is checked against the document. These tests give that check wrong answers.
@Suite(.mayBlock) struct `The check of answers against the document` {
    private let client: APIClient
    private let alice: Person
    private let api: OpenAPI

    init() async throws {
        let (installation, _, client) = try shared.get()
        self.client = client
        alice = try await Person.join(installation.acme, as: "Alice", client)
        api = try await OpenAPI(client)
    }

    private func faults(_ change: (inout APIClient.Answer) throws -> Void) async throws -> [String] {
        var answer = try await alice.send("GET", "/v1/me")
        try change(&answer)
        return try api.faults(of: answer, to: #require(api.operation("GET", "/v1/me")))
    }

    @Test func `finds nothing in an answer as it is documented`() async throws {
        #expect(try await faults { _ in } == [])
    }

    @Test(arguments: [
        ("time_zone", nil, "$: 'time_zone' is a required property"),
        ("time_zone", JSON.number(5), "$.time_zone: 5 is not of type 'string'"),
        ("time_zone", .null, "$.time_zone: None is not of type 'string'"),
        ("phone_verified", "true", "$.phone_verified: 'true' is not of type 'boolean'"),
        ("display_name", "", "$.display_name: '' should be non-empty"),
        ("id", "alice", "$.id: 'alice' is not a 'uuid'"),
        ("created_at", "yesterday", "$.created_at: 'yesterday' is not a 'date-time'"),
        ("created_at", "2027-03-09T13:00:00+01:00", "$.created_at: '2027-03-09T13:00:00+01:00' is not a 'date-time'"),
        ("email", "nobody", "$.email: 'nobody' is not a 'email'"),
        ("colour", "blue", "$: Additional properties are not allowed ('colour' was unexpected)"),
    ])
    func `names the field of a body that is wrong`(field: String, value: JSON?, fault: String) async throws {
        let found = try await faults { answer in
            var body = try JSON(answer.body)
            body[field] = value
            answer.body = Data(try body.text.utf8)
        }
        #expect(found.contains(fault), "\(found)")
    }

    @Test func `finds a body that is no JSON, an undocumented status or type, and a wrong header`() async throws {
        #expect(try await faults { $0.body = Data("{".utf8) }.first?.hasPrefix("$: no JSON") == true)
        #expect(try await faults { $0.body = Data([0xFF]) } == ["the body is not UTF-8"])
        #expect(try await faults { $0.status = 299 }.first?.hasPrefix("the status 299 is not documented") == true)
        #expect(try await faults { $0.headers["content-type"] = "text/csv" } == ["the type text/csv is not documented"])
        #expect(try await faults { $0.headers["x-request-id"] = nil } == ["the header X-Request-Id is missing"])
        #expect(
            try await faults { $0.headers["x-request-id"] = "" }
                .contains("the header X-Request-Id: $: '' should be non-empty"))
    }

    @Test func `finds an event that no shape describes, and names what the closest shape lacks`() throws {
        let event = JSON.object(["id": "1-1", "event": "connection", "data": .object(["status": .number(5)])])
        #expect(try api.faults(of: event, as: "StreamEvent").contains("$.data.status: 5 is not of type 'string'"))
        let unknown = JSON.object(["id": "1-1", "event": "party", "data": .object([:])])
        #expect(try api.faults(of: unknown, as: "StreamEvent").contains { $0.hasPrefix("$: 'party' is not one of") })
    }

    @Test func `records an issue that names the path, the operation and the field`() async throws {
        var answer = try await alice.send("GET", "/v1/me")
        answer.body = Data("{}".utf8)
        await withKnownIssue {
            await DocumentedAnswers.shared.check(answer, to: "GET", "/v1/me", of: client)
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.wholeMatch(of: /GET \/v1\/me \(getMe\) is not as documented: \$: '\w+' is a required.*/)
                    != nil
            }
        }
    }

    @Test(arguments: [
        (#"{"type":"string","format":"ipv4"}"#, "the check does not know the format ipv4"),
        (#"{"anyOf":[{"oneof":[]}]}"#, "the check does not know the keyword oneof"),
        (##"{"items":{"$ref":"#/components/schemas/B"}}"##, "#/components/schemas/B leads nowhere"),
    ])
    func `refuses a document with a schema that would go unchecked`(schema: String, fault: String) throws {
        let document = #"{"paths":{},"components":{"schemas":{"A":\#(schema)}}}"#
        let failure = #expect(throws: SchemaChecker.Failure.self) { try SchemaChecker(Data(document.utf8)) }
        #expect(failure?.description == "/components/schemas/A: \(fault)")
    }
}
