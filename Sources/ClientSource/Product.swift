internal import JSON
package import OpenAPI

/// A library that is generated from the description of the API, or the one below both.
package enum Product: String, CaseIterable, Sendable {
    /// The target below both libraries.
    case calls = "KithCalls"
    /// The library of apps.
    case client = "KithClient"
    /// The library of a tenant's server.
    case server = "KithServer"

    /// The folder of the generated files, in the repository.
    package var folder: String { "Sources/\(rawValue)/Generated" }
}

/// The functions of KithClient, written by hand, that make a call as a whole. KithClient has no generated function for
/// the call.
struct WrittenFunctions {
    /// The functions, as an app writes them after `kith`; empty if the client makes the call by itself.
    let names: [String]
    /// Whether they use the call as a value of `KithCalls`.
    var usesValue = false

    /// The functions by the name of the call.
    static let all: [String: WrittenFunctions] = [
        "requestOneTimeCode": WrittenFunctions(names: ["sendCode(to:)"]),
        "signIn": WrittenFunctions(names: ["signIn(code:sentTo:)"]),
        "refreshTokens": WrittenFunctions(names: []),
        "signOut": WrittenFunctions(names: ["signOut()", "signOutEverywhere()"]),
        "checkIn": WrittenFunctions(names: ["checkIn(note:shareNote:location:)"]),
        "openVault": WrittenFunctions(names: ["vaults[id].open()"], usesValue: true),
        "lockVault": WrittenFunctions(names: ["vaults[id].lock()"], usesValue: true),
        "exportMe": WrittenFunctions(names: ["exportAccount(to:progress:)"], usesValue: true),
        "streamEvents": WrittenFunctions(names: ["events(after:)"], usesValue: true),
        "downloadDocument": WrittenFunctions(
            names: ["vaults[id].documents.download(_:to:sha256:progress:)"], usesValue: true),
    ]
}

extension OpenAPIOperation {
    /// The library with the generated source of the call. An app signs people in by `Kith.signIn`, which keeps their
    /// tokens; a tenant's server that passes tokens on gets them by the calls under `/v1/auth`. What lies beside `/v1`
    /// is for those who run servers.
    package var product: Product {
        switch caller {
        case .key: .server
        case .user: .client
        case .anybody, .tenant: path.hasPrefix("/v1/") && !path.hasPrefix("/v1/auth/") ? .client : .server
        }
    }

    /// What makes the call as a whole in KithClient, if it is written by hand.
    var written: WrittenFunctions? { WrittenFunctions.all[operationID] }

    /// Whether a function for the call is generated.
    var hasFunction: Bool { isCalled && (product == .server || written == nil) }

    /// Whether a value for the call is generated.
    var hasValue: Bool { isCalled && (product == .server || written?.usesValue != false) }

    /// The libraries that make the call.
    var libraries: [Product] {
        guard isCalled else { return [] }
        return product == .server && written != nil ? [.client, .server] : [product]
    }
}
