import Testing

@testable import KithCalls

@Suite("The elements of a list") struct KithItemsTests {
    private struct Numbers: Kith.Page {
        var items: [Int]
        var nextCursor: Kith.Cursor?
    }

    private struct Lost: Error {}

    @Test func `come page by page, also over an empty page, and only as far as they are read`() async throws {
        let asked = Locked<[String]>([])
        let items = KithItems<Numbers> { cursor in
            asked.withLock { $0.append(cursor?.rawValue ?? "first") }
            switch cursor?.rawValue {
            case nil: return Numbers(items: [1, 2], nextCursor: Kith.Cursor(rawValue: "a"))
            case "a": return Numbers(items: [], nextCursor: Kith.Cursor(rawValue: "b"))
            default: return Numbers(items: [3], nextCursor: nil)
            }
        }
        var iterator = items.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        #expect(asked.withLock { $0 } == ["first"])
        #expect(try await iterator.next() == 3)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(asked.withLock { $0 } == ["first", "a", "b"])
    }

    @Test func `go on with the same page after an error`() async throws {
        let fails = Locked(true)
        let items = KithItems<Numbers> { _ in
            if fails.withLock({ $0 }) { throw Lost() }
            return Numbers(items: [1], nextCursor: nil)
        }
        var iterator = items.makeAsyncIterator()
        await #expect(throws: Lost.self) { try await iterator.next() }
        fails.withLock { $0 = false }
        #expect(try await iterator.next() == 1)
    }
}
