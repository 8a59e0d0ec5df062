import Foundation
import KithClient
import Testing

/// Speaks HTTP with a running server.
struct APIClient: Sendable {
    let base: URL
    /// Whether each answer must be one that the OpenAPI document describes. Checking them takes most of the time of a
    /// test with thousands of calls.
    var checksAnswers = true
    private let connections = HTTPConnections()
    private let start = Start()

    /// Waits once until a new server has its database connections. On a machine that is busy with other tests this
    /// takes longer than the second for which requests wait for a connection.
    private actor Start {
        private var isOver = false

        /// Waits until `status`, a readiness check, answers anything but 503, or the server is gone.
        func ends(_ status: @Sendable () async throws -> Int?) async {
            for _ in 0..<600 where !isOver {
                isOver = (try? await status()) ?? nil != 503
                if !isOver { try? await Task.sleep(for: .milliseconds(100)) }
            }
            isOver = true
        }
    }

    init(base: URL) {
        self.base = base
    }

    /// An answer.
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data

        /// The body decoded as one of the API's values.
        func decode<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
            do {
                return try Kith.decoder().decode(Value.self, from: body)
            } catch {
                throw KithProcess.Failure(description: "\(status) \(text): \(error)")
            }
        }

        /// The code of a problem document; empty if the body is not one.
        var code: String { (try? decode(Kith.Problem.self).code.rawValue) ?? "" }
        /// The problem document's `detail`.
        var detail: String { (try? decode(Kith.Problem.self).detail) ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Sends a request; `credential` goes into the Authorization header. The answer must be one that the OpenAPI
    /// document describes, if ``checksAnswers``.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let answer = try await exchange(method, path, body, as: credential, headers: headers)
        if checksAnswers { await DocumentedAnswers.shared.check(answer, to: method, path, of: self) }
        return answer
    }

    /// Sends a request whose body is bytes.
    func send(
        _ method: String, _ path: String, content: Data, type: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let answer = try await exchange(method, path, content, type, as: credential, headers: headers)
        if checksAnswers { await DocumentedAnswers.shared.check(answer, to: method, path, of: self) }
        return answer
    }

    /// Sends a request and accepts any answer, documented or not.
    func exchange(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let content = body.map { Data($0.utf8) }
        return try await exchange(method, path, content, "application/json", as: credential, headers: headers)
    }

    private func exchange(
        _ method: String, _ path: String, _ body: Data?, _ type: String?, as credential: String?,
        headers: [String: String]
    ) async throws -> Answer {
        await start.ends {
            try await connections.send("GET", base.appending(path: "readyz"), headers: [:], body: nil).status
        }
        guard let url = URL(string: base.absoluteString + path) else {
            throw HTTPConnection.Failure(description: "\(path) is no path of a URL")
        }
        var fields: [String: String] = [:]
        if let credential { fields["authorization"] = "Bearer \(credential)" }
        if body != nil { fields["content-type"] = type }
        for (name, value) in headers { fields[name.lowercased()] = value }
        return try await connections.send(method, url, headers: fields, body: body)
    }

    /// Sends a request, and repeats it after a while if the server answers that it can succeed later: on a machine that
    /// is busy with other tests the database may be late.
    func patiently(_ request: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<10 {
            let answer = try await request()
            guard answer.status == 503 else { return answer }
            try await Task.sleep(for: .seconds(1))
        }
        return try await request()
    }

    /// Sends a request that must succeed with `status`, and decodes the answer. A POST has an `Idempotency-Key`: after
    /// an answer of 503 it is repeated, and may have been carried out.
    func get<Value: Decodable>(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String, status: Int = 200
    ) async throws -> Value {
        let headers = method == "POST" ? ["Idempotency-Key": UUID().uuidString] : [:]
        let answer = try await patiently { try await send(method, path, body, as: credential, headers: headers) }
        guard answer.status == status else {
            throw KithProcess.Failure(description: "\(method) \(path): \(answer.status) \(answer.text)")
        }
        return try answer.decode()
    }
}
