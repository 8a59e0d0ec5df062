import Foundation
import HTTP
import OpenAPI
import Testing

@testable import API

@Suite struct `The scopes of secret keys` {
    private static let keyed = Endpoint.all.compactMap { endpoint -> (endpoint: Endpoint, scope: KeyScope)? in
        guard case .key(let scope) = endpoint.caller else { return nil }
        return (endpoint: endpoint, scope: scope)
    }

    /// What the documentation says of each scope, by the beginnings of paths. The longest beginning decides.
    private static let documented: [(path: String, scope: KeyScope)] = [
        ("/v1/users", .users), ("/v1/tenant/import", .users), ("/v1/tokens", .tokens), ("/v1/sign-in-links", .tokens),
        ("/v1/tenant", .settings), ("/v1/tenant/alarms", .alarms), ("/v1/tenant/webhooks", .webhooks),
        ("/v1/tenant/api-keys", .all),
        ("/v1/feedback", .read),
    ]

    @Test func `follow from the paths of the calls`() throws {
        for (endpoint, scope) in Self.keyed {
            let rule = Self.documented.filter { endpoint.path.hasPrefix($0.path) }.max { $0.path.count < $1.path.count }
            #expect(scope == rule?.scope, "\(endpoint.method) \(endpoint.path)")
        }
        #expect(Set(Self.keyed.map(\.scope)) == Set(KeyScope.allCases))
    }

    @Test func `are met by the scope itself, by all, and for a GET by read, except of what only they read`() {
        for needed in KeyScope.allCases {
            for given in KeyScope.allCases {
                let reads = given == .read && ![.all, .alarms, .webhooks].contains(needed)
                let allows = given == needed || given == .all
                #expect(needed.isMet(by: [given.rawValue], .post) == allows, "\(needed) by \(given)")
                #expect(needed.isMet(by: [given.rawValue], .get) == (allows || reads), "\(needed) by \(given)")
            }
            #expect(!needed.isMet(by: [], .get))
            #expect(!needed.isMet(by: ["tenant", ""], .get), "a scope that does not exist opens nothing")
        }
        #expect(KeyScope.webhooks.isMet(by: ["users", "webhooks"], .post))
    }

    @Test func `are in the document, for each call of the tenant's server`() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.kith.text(version: "1"))) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        for (endpoint, scope) in Self.keyed {
            let call = try #require(paths[endpoint.path]?[endpoint.method.rawValue.lowercased()])
            let security = call["security"] as? [[String: [String]]]
            #expect(security == [["secretKey": [scope.rawValue]]], "\(endpoint.path)")
            let needed = "Requires a secret key with the scope \(scope.rawValue)."
            #expect((call["description"] as? String)?.contains(needed) == true, "\(endpoint.path)")
        }
    }
}
