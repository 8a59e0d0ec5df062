package import Foundation

/// The queue on which a session calls its delegate. On Linux, a narrow one waits for a slow delegate, because
/// Foundation would keep everything that arrives meanwhile: it calls `addOperation` for each piece, on the queue that
/// reads the sockets of all sessions.
///
/// A narrow one also makes the calls that have come meanwhile in one operation: to begin and end an operation takes
/// longer than such a call.
///
/// `@unchecked Sendable`: the condition guards the state.
package final class DelegateQueue: OperationQueue, @unchecked Sendable {
    #if canImport(FoundationNetworking)
        private struct Call {
            let make: @Sendable () -> Void
            var isCancellation = false
        }

        /// The most calls that wait for the delegate. The session goes on when half of them are made, so that the two
        /// change seldom.
        package static let most = 8
        private let isNarrow: Bool
        private let condition = NSCondition()
        private var waiting: [Call] = []
        private var isFull = false
        private var isCalling = false
        /// From the beginning of a cancellation until the next request.
        private var isOpen = false
        private var isCancelling = false
        /// Whether the session makes a call itself.
        private var isHelping = false
    #endif

    package init(isNarrow: Bool) {
        #if canImport(FoundationNetworking)
            self.isNarrow = isNarrow
        #endif
        super.init()
        maxConcurrentOperationCount = 1
    }

    /// Lets the session wait for the delegate again.
    func narrow() {
        #if canImport(FoundationNetworking)
            condition.withLock { isOpen = false }
        #endif
    }

    /// Adds the cancellation of a request without waiting. It may wait for the session: from its beginning on, the
    /// session waits for the delegate no more, and makes the calls itself for which there is no room, in their order.
    package func addCancellation(_ block: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
            guard isNarrow else { return super.addOperation(block) }
            condition.withLock { add(Call(make: { self.cancel(block) }, isCancellation: true)) }
        #else
            super.addOperation(block)
        #endif
    }

    #if canImport(FoundationNetworking)
        package override func addOperation(_ block: @escaping @Sendable () -> Void) {
            guard isNarrow else { return super.addOperation(block) }
            let oldest = condition.withLock {
                while isFull, !isOpen { condition.wait() }
                defer { add(Call(make: block)) }
                return oldestWithoutRoom()
            }
            guard let oldest else { return }
            oldest.make()
            condition.withLock {
                isHelping = false
                condition.broadcast()
            }
        }

        /// Takes the call, under the lock, that the session makes itself while the delegate cancels. The end of a
        /// request is never among them, since nothing follows it. Nor is a cancellation, which would wait for itself.
        private func oldestWithoutRoom() -> Call? {
            guard isCancelling, waiting.count >= Self.most,
                let index = waiting.firstIndex(where: { !$0.isCancellation })
            else { return nil }
            isHelping = true
            return waiting.remove(at: index)
        }

        private func cancel(_ block: () -> Void) {
            condition.withLock {
                (isOpen, isCancelling) = (true, true)
                condition.broadcast()
            }
            block()
            condition.withLock {
                isCancelling = false
                while isHelping { condition.wait() }
            }
        }

        /// Adds a call under the lock.
        private func add(_ call: Call) {
            waiting.append(call)
            isFull = waiting.count >= Self.most
            guard !isCalling else { return }
            isCalling = true
            super.addOperation { self.callAll() }
        }

        /// Makes the calls that wait, until there is none.
        private func callAll() {
            while let call = next() { call.make() }
        }

        private func next() -> Call? {
            condition.withLock {
                guard !waiting.isEmpty else {
                    isCalling = false
                    return nil
                }
                let call = waiting.removeFirst()
                if isFull, waiting.count <= Self.most / 2 {
                    isFull = false
                    condition.broadcast()
                }
                return call
            }
        }
    #endif
}
