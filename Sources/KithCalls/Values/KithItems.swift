/// The elements of a list of the server's, which is loaded page by page while it is read.
///
/// ```swift
/// for try await connection in kith.connections where connection.status == .active { … }
/// ```
public struct KithItems<Page: Kith.Page>: AsyncSequence, Sendable {
    /// An element of the list.
    public typealias Element = Page.Item

    private let load: @Sendable (Kith.Cursor?) async throws -> Page

    /// Creates the list whose pages `load` loads.
    package init(load: @escaping @Sendable (Kith.Cursor?) async throws -> Page) { self.load = load }

    /// Begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(load: load) }

    /// Reads the elements.
    public struct Iterator: AsyncIteratorProtocol {
        let load: @Sendable (Kith.Cursor?) async throws -> Page
        private var items: ArraySlice<Page.Item> = []
        private var cursor: Kith.Cursor?
        private var isOver = false

        init(load: @escaping @Sendable (Kith.Cursor?) async throws -> Page) { self.load = load }

        /// The next element; loads a page when the last one is read.
        ///
        /// - Throws: ``KithProblem``, and `CancellationError`. A call after an error asks for the same page again.
        public mutating func next() async throws -> Page.Item? {
            while items.isEmpty, !isOver {
                let page = try await load(cursor)
                (items, cursor) = (page.items[...], page.nextCursor)
                isOver = cursor == nil
            }
            return items.popFirst()
        }
    }
}
