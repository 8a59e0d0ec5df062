import Foundation

/// A response that is no refusal, whose body is read in pieces.
struct StreamedAnswer: Sendable {
    let status: Int
    /// The header fields, by lower-case name.
    let headers: [String: String]
    let body: any EventSource

    /// Reads the body to its end.
    func whole() async throws -> KithAnswer {
        var body = Data()
        while let piece = try await self.body.next() { body.append(piece) }
        return KithAnswer(status: status, headers: headers, body: body)
    }
}

/// Carries out calls whose bodies may not fit into memory.
protocol StreamingCaller: KithCaller {
    /// Makes a call whose response arrives piece by piece. It is tried again until the response begins.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - signIn: The sign-in that the call belongs to; the present one if it is nil.
    ///   - file: The file that is sent as the body.
    ///   - onProgress: Gets the number of bytes of the body that have been sent. It begins again with each try.
    /// - Returns: The response, whose body is still to be read.
    /// - Throws: ``KithProblem`` for a refusal and for a server that cannot be reached, and `CancellationError`.
    func open<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID?, uploading file: URL?, onProgress: (@Sendable (Int64) -> Void)?
    ) async throws -> StreamedAnswer
}

extension StreamingCaller {
    func open<Answer>(_ call: KithCall<Answer>, as signIn: UUID? = nil) async throws -> StreamedAnswer {
        try await open(call, as: signIn, uploading: nil, onProgress: nil)
    }
}

extension Kith {
    /// Carries out calls whose bodies may not fit into memory.
    var streamingCaller: any StreamingCaller {
        get throws {
            guard let caller = caller as? any StreamingCaller else { throw KithProblem.signedOut }
            return caller
        }
    }
}
