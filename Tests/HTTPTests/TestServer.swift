import EventLoop
import Foundation
import HTTP
import Testing

/// A server on an event loop that has a thread of its own.
struct TestServer: Sendable {
    let loop: EventLoop
    let server: HTTPServer
    let address: ListenAddress

    /// A new connection.
    func connect() throws -> TestClient {
        try TestClient(port: address.port)
    }

    /// The server's current metrics.
    var metrics: HTTPServerMetrics {
        get async { await onLoop { server.metrics } }
    }

    /// Waits until the server's metrics meet `condition`; the test's time limit ends a wait in vain.
    func waits(until condition: (HTTPServerMetrics) -> Bool) async throws {
        while !condition(await metrics) { try await Task.sleep(for: .milliseconds(2)) }
    }

    func drain(within timeout: Duration) async {
        await onLoop { await server.drain(within: timeout) }
    }

    /// Runs `body` on the loop's thread.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await Task(executorPreference: loop) { await body() }.value
    }
}

/// Runs `body` with a server on a port that the system chooses, and drains the server afterwards.
func withServer(
    _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }, clock: WallClock = .machine,
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (TestServer) async throws -> Void
) async throws {
    let loop = await runningLoop(clock: clock)
    defer { loop.stop() }
    var configuration = HTTPServerConfiguration(address: try #require(ListenAddress("127.0.0.1:0")))
    // On a busy machine a test may be delayed; only a test of time-outs should meet one.
    configuration.requestTimeout = .seconds(120)
    configuration.idleTimeout = .seconds(120)
    configuration.bodyTimeout = .seconds(120)
    configuration.handlerTimeout = .seconds(120)
    configure(&configuration)
    let server = HTTPServer(loop: loop, configuration: configuration, refusal: refuse, handler: handler)
    let address = try await Task(executorPreference: loop) { try server.start() }.value
    let running = TestServer(loop: loop, server: server, address: address)
    let result = await Result { try await body(running) }
    await running.drain(within: .zero)
    try result.get()
}

/// Answers with the request: method, path, query and body.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
    let head = "\(request.method) \(request.path) \(request.queryText) "
    return HTTPResponse(.ok, headers: ["Content-Type": "text/plain"], body: Array(head.utf8) + request.body)
}

/// Answers with the reason of the refusal and the id of the request.
@Sendable private func refuse(_ reason: HTTPRefusal, _ id: String) -> HTTPResponse {
    HTTPResponse(reason.status, headers: ["Content-Type": "text/plain"], body: Array("\(reason) \(id)".utf8))
}

/// An event loop that runs on a thread of its own. The function returns it from within its run, because a loop that has
/// not begun still belongs to the thread that made it.
func runningLoop(clock: WallClock = .machine) async -> EventLoop {
    await withCheckedContinuation { continuation in
        Thread {
            guard let loop = try? EventLoop(clock: clock) else { preconditionFailure("no descriptors left") }
            loop.execute { continuation.resume(returning: loop) }
            loop.run()
        }.start()
    }
}

/// Runs blocking work on a thread of its own, so that it neither blocks the tests' shared pool nor waits for it.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in Thread { continuation.resume(returning: body()) }.start() }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
