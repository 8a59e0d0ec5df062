import JSON
import Testing

@testable import API

struct `The web origins that a server knows` {
    private static let second: Int64 = 1_000_000

    /// The origins of an answer that took so long, read at 100 seconds.
    private static func origins(took: Duration = .milliseconds(3)) throws -> AllowedOrigins {
        var origins = AllowedOrigins()
        #expect(origins.mustBeRead(for: "https://a.example", by: nil, at: 100 * second))
        origins.take(try JSONDocument(Array(#"{"https://a.example": [1, 3]}"#.utf8)).root, took: took)
        origins.readAt = 100 * second
        return origins
    }

    @Test func `are those of the tenants that allow them`() throws {
        let origins = try Self.origins()
        #expect(origins.allow("https://a.example", by: 3))
        #expect(origins.allow("https://a.example", by: nil))
        #expect(!origins.allow("https://a.example", by: 2))
        #expect(!origins.allow("https://b.example", by: nil))
    }

    @Test func `are read again after a minute, and after a second for one that is not among them`() throws {
        let origins = try Self.origins()
        #expect(!origins.mustBeRead(for: "https://a.example", by: 1, at: 160 * Self.second - 1))
        #expect(origins.mustBeRead(for: "https://a.example", by: 1, at: 160 * Self.second))
        for (origin, tenant) in [("https://b.example", nil), ("https://a.example", 2)] {
            #expect(!origins.mustBeRead(for: origin, by: tenant, at: 101 * Self.second - 1))
            #expect(origins.mustBeRead(for: origin, by: tenant, at: 101 * Self.second))
        }
    }

    @Test func `are read for strangers for a twentieth of the time at most`() throws {
        let origins = try Self.origins(took: .milliseconds(200))
        #expect(!origins.mustBeRead(for: "https://b.example", by: nil, at: 104 * Self.second - 1))
        #expect(origins.mustBeRead(for: "https://b.example", by: nil, at: 104 * Self.second))
    }

    @Test func `stay if an answer cannot be read`() throws {
        var origins = try Self.origins()
        origins.take(nil, took: .zero)
        #expect(origins.allow("https://a.example", by: 1))
    }
}
