import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Opens connections that send events.
enum EventConnection {
    /// The largest problem document that is read.
    private static let longestProblem = 64 << 10

    /// The stream, once its head says that it is one.
    ///
    /// - Throws: ``KithProblem`` for a refusal by Kith, and `URLError` for anything else, such as a page of a hotel's Wi-Fi.
    static func open(_ stream: ByteStream) async throws -> any EventSource {
        let response = try await stream.response()
        let type = (response.value(forHTTPHeaderField: "Content-Type") ?? "").prefix { $0 != ";" }.lowercased()
        guard response.statusCode != 200 || type != "text/event-stream" else { return stream }
        guard type == "application/problem+json" else {
            stream.cancel()
            throw URLError(.badServerResponse)
        }
        throw try await problem(of: stream, response)
    }

    private static func problem(of stream: ByteStream, _ response: HTTPURLResponse) async throws -> any Error {
        struct Document: Decodable {
            let code: KithProblem.Code
            let detail: String
            let retryable: Bool
            let requestID: String?

            private enum CodingKeys: String, CodingKey {
                case code, detail, retryable
                case requestID = "request_id"
            }
        }
        var body = Data()
        while body.count < longestProblem, let more = try await stream.next() { body += more }
        guard let document = try? JSONDecoder().decode(Document.self, from: body) else {
            return URLError(.badServerResponse)
        }
        return KithProblem(
            code: document.code, status: response.statusCode, detail: document.detail, retryable: document.retryable,
            retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap { TimeInterval($0) },
            requestID: document.requestID, errors: [])
    }
}
