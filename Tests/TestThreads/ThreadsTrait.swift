package import Testing

/// Runs each test of a suite, and the child tasks that it starts, on threads of their own.
///
/// Swift's shared pool has as many threads as the machine has processors. A test that blocks its thread, because it
/// waits for a program or for a synchronous session of PostgreSQL, would otherwise hold up all others.
package struct ThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
    }
}

extension Trait where Self == ThreadsTrait {
    /// The tests may block their threads.
    package static var mayBlock: Self { ThreadsTrait() }
}
