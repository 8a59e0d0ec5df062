import Foundation
import FoundationNetworking
import KithModel
import Testing

/// Speaks HTTP with a running server.
struct APIClient: Sendable {
    let base: URL
    private let session: URLSession
    private let start = Start()

    /// Waits once until a new server has its database connections. On a machine that is busy with other tests this takes longer than
    /// the second for which requests wait for a connection.
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
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 20
        // The API sets no cookies; a test of a page sends its cookie explicitly.
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpMaximumConnectionsPerHost = 64
        session = URLSession(configuration: configuration)
    }

    /// An answer.
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data

        /// The body decoded as one of the API's values.
        func decode<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
            do {
                return try JSONDecoder.kith.decode(Value.self, from: body)
            } catch {
                throw KithProcess.Failure(description: "\(status) \(text): \(error)")
            }
        }

        /// The code of a problem document; empty if the body is not one.
        var code: String { (try? decode(Problem.self).code) ?? "" }
        /// The problem document's `detail`.
        var detail: String { (try? decode(Problem.self).detail) ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Sends a request; `credential` goes into the Authorization header. In every test, the answer must be one that the OpenAPI
    /// document describes.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let answer = try await exchange(method, path, body, as: credential, headers: headers)
        await DocumentedAnswers.shared.check(answer, to: method, path, of: self)
        return answer
    }

    /// Sends a request whose body is bytes.
    func send(
        _ method: String, _ path: String, content: Data, type: String? = nil, as credential: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let answer = try await exchange(method, path, content, type, as: credential, headers: headers)
        await DocumentedAnswers.shared.check(answer, to: method, path, of: self)
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
        await start.ends { try await load(URLRequest(url: base.appending(path: "readyz"))).1.statusCode }
        guard let url = URL(string: base.absoluteString + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let credential { request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.httpBody = body
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await load(request)
        let fields = response.allHeaderFields.reduce(into: [String: String]()) {
            $0["\($1.key)".lowercased()] = "\($1.value)"
        }
        return Answer(status: response.statusCode, headers: fields, body: data)
    }

    /// Waits for the response even if the task is cancelled. `URLSession.data(for:)` can deadlock if its task is cancelled while the
    /// response arrives, and all sessions of the process wait with it (swift-corelibs-foundation, issue 5412).
    private func load(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let task = session.dataTask(with: request) { data, response, error in
                guard let data, let response = response as? HTTPURLResponse else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                continuation.resume(returning: (data, response))
            }
            task.resume()
        }
    }

    /// Sends a request, and repeats it after a while if the server answers that it can succeed later: on a machine that is busy with
    /// other tests the database may be late.
    func patiently(_ request: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<10 {
            let answer = try await request()
            guard answer.status == 503 else { return answer }
            try await Task.sleep(for: .seconds(1))
        }
        return try await request()
    }

    /// Sends a request that must succeed with `status`, and decodes the answer.
    func get<Value: Decodable>(
        _ method: String, _ path: String, _ body: String? = nil, as credential: String, status: Int = 200
    ) async throws -> Value {
        let answer = try await patiently { try await send(method, path, body, as: credential) }
        guard answer.status == status else {
            throw KithProcess.Failure(description: "\(method) \(path): \(answer.status) \(answer.text)")
        }
        return try answer.decode()
    }
}
