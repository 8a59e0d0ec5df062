package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Sends requests and reads whole responses over one session, which ends with the transport.
package final class HTTPTransport: Sendable {
    private let session: HTTPSession

    /// Creates a transport that gives up when nothing arrives for `timeout` seconds.
    package init(timeout: TimeInterval = 60) {
        session = HTTPSession(timeout: timeout)
    }

    /// Sends a request and waits for the whole response.
    ///
    /// - Throws: `URLError`, or `CancellationError` if the task is cancelled.
    package func send(_ request: URLRequest) async throws -> KithAnswer {
        try Task.checkCancellation()
        let (task, whole) = (session.task(for: request), WholeResponse())
        session.start(task) { whole }
        do {
            return try await whole.answer.value()
        } catch {
            session.cancel(task)
            throw error
        }
    }
}

/// Collects a response.
package final class WholeResponse: ResponseReceiver {
    /// The response, when it is complete.
    package let answer = Promise<KithAnswer>()
    private let parts = Locked<(head: HTTPURLResponse?, body: Data)>((nil, Data()))

    /// Creates a receiver of one response.
    package init() {}

    package func arrived(_ response: HTTPURLResponse) { parts.withLock { $0.head = response } }

    package func arrived(_ bytes: Data) { parts.withLock { $0.body.append(bytes) } }

    package func sent(_: Int64) {}

    package func ended(_ error: (any Error)?) {
        let (head, body) = parts.withLock { $0 }
        if let error {
            answer.resolve(.failure(error))
        } else if let head {
            answer.resolve(.success(KithAnswer(status: head.statusCode, headers: head.fields, body: body)))
        } else {
            answer.resolve(.failure(URLError(.badServerResponse)))
        }
    }
}

extension HTTPURLResponse {
    /// The header fields, by lower-case name.
    package var fields: [String: String] {
        allHeaderFields.reduce(into: [:]) { fields, field in fields["\(field.key)".lowercased()] = "\(field.value)" }
    }
}
