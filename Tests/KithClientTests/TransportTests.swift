import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The transport") struct TransportTests {
    /// Nothing listens on port 1.
    private let refused = URLRequest(url: URL(fileURLWithPath: "/"), refusing: "http://127.0.0.1:1/")

    /// With `URLSessionTask.cancel()` at any time, the Foundation of Linux ends the process in one of a few hundred tries.
    @Test func `is cancelled at any moment of a connection that is refused`() async {
        let transport = HTTPTransport()
        for _ in 0..<500 {
            let sending = Task { try await transport.send(refused) }
            for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
            sending.cancel()
            await #expect { try await sending.value } throws: { $0 is CancellationError || $0 is URLError }
        }
    }

    @Test func `tells cancellation from failure`() async {
        let transport = HTTPTransport()
        await #expect(throws: URLError.self) { try await transport.send(refused) }
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(refused)
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
    }
}

extension URLRequest {
    fileprivate init(url: URL, refusing text: String) {
        self.init(url: URL(string: text) ?? url)
    }
}

@Suite("A promise") struct PromiseTests {
    @Test func `is kept once, for everybody who waits`() async throws {
        let promise = Promise<Int>()
        async let first = promise.value()
        async let second = promise.value()
        promise.resolve(.success(1))
        promise.resolve(.success(2))
        #expect(try await [first, second, promise.value()] == [1, 1, 1])
    }

    @Test func `does not hold up who is cancelled`() async throws {
        let promise = Promise<Int>()
        let (one, other) = (Task { try await promise.value() }, Task { try await promise.value() })
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        promise.resolve(.success(1))
        #expect(try await other.value == 1)
    }
}
