import Foundation
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The end of a tenant` {
    @Test func `is a deletion that can be undone, and a purge that leaves nothing`() async throws {
        let installation = try Installation(offset: nil)
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        func tenant(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(["tenant"] + arguments, environment: installation.environment)
        }
        let key = installation.acme.secretKey
        #expect(try await client.send("POST", "/v1/users", #"{"display_name": "Alice"}"#, as: key).status == 201)

        for wrong in [
            ["delete", "acme"], ["restore", "acme"], ["purge", "acme"], ["purge"], ["purge", "acme", "--confirm"],
        ] {
            let refused = try KithProcess.run(["tenant"] + wrong, environment: installation.environment)
            #expect(refused.status == 64, "\(wrong): \(refused.errors)")
        }
        #expect(try tenant("purge", "acme", "--confirm", "acme").errors.contains("Delete it first: kith tenant delete"))
        #expect(try tenant("delete", "acme", "--reason", "left").status == 0)
        #expect(try tenant("list").output.contains(/slug=acme .*status=deleted/))
        let restored = try tenant("restore", "acme", "--reason", "came back")
        #expect(restored.status == 0)
        // The answer names the command that ends the suspension.
        #expect(restored.output.hasSuffix("it is suspended until: kith tenant resume acme\n"), "\(restored.output)")
        #expect(try tenant("list").output.contains(/slug=acme .*status=suspended/))
        #expect(try tenant("resume", "acme").output == "resumed acme\n")
        let session = try installation.session()
        #expect(try tenant("list").output.contains(/slug=acme .*status=active/))
        #expect(try tenant("delete", "acme", "--reason", "left for good").status == 0)
        #expect(try tenant("purge", "acme", "--confirm", "globex").errors.contains("is not the slug of the tenant"))
        #expect(try tenant("purge", "acme", "--confirm", "acme").errors.contains("less than 5 minutes ago"))

        try session.execute("update kith.tenants set deleted_at = now() - interval '6 minutes' where slug = 'acme'")
        let purged = try tenant("purge", "acme", "--confirm", "acme", "--json")
        #expect(purged.status == 0, "\(purged.errors)")
        let answer = try #require(
            try JSONSerialization.jsonObject(with: Data(purged.output.utf8)) as? [String: Int], "\(purged.output)")
        #expect(answer["tenant_id"] == installation.acme.tenantID)
        #expect(try #require(answer["rows"]) > 3)
        let left = try session.query(
            "select count(*) from internal.rows_of_tenant(\(installation.acme.tenantID)) where rows > 0")
        #expect(left.int(0, 0) == 0)
        #expect(try !tenant("list").output.contains("slug=acme"))
        #expect(try await client.send("GET", "/v1/tenant", as: installation.globex.secretKey).status == 200)
        let again = try tenant("purge", "acme", "--confirm", "acme")
        #expect(again.status == 1)
        #expect(again.errors.contains("There is no tenant 'acme'"), "\(again.errors)")
    }
}
