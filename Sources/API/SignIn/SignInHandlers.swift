internal import HTTP
internal import Identity
internal import Problems
internal import Requests

/// The handlers of sign-ins, tokens and contacts.
enum SignInHandlers {
    static func requestCode(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await codes(request, services).request(request)
    }

    static func signIn(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await sessions(request, services).begin(request)
    }

    static func refresh(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await sessions(request, services).refresh(request)
    }

    static func signOut(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await sessions(request, services).end(request)
    }

    static func mintToken(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await mint(request, services).answer(request)
    }

    static func makeLink(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await SignInLinks(
            statements: request.statements, masterKey: services.masterKey, publicURL: services.publicURL
        ).make(request)
    }

    static func updateMe(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await codes(request, services).changeMe(request)
    }

    static func verifyContact(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await codes(request, services).verifyContact(request)
    }

    private static func codes(_ request: HandledRequest, _ services: Services) -> OneTimeCodes {
        OneTimeCodes(statements: request.statements, masterKey: services.masterKey)
    }

    private static func mint(_ request: HandledRequest, _ services: Services) -> TokenMint {
        TokenMint(statements: request.statements, masterKey: services.masterKey)
    }

    private static func sessions(_ request: HandledRequest, _ services: Services) -> Sessions {
        Sessions(
            statements: request.statements, mint: mint(request, services), codes: codes(request, services))
    }
}
