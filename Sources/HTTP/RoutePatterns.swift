/// The patterns of a ``Router`` as a tree of their segments, with the routes as numbers.
struct RoutePatterns: Sendable {
    /// A node in the tree of patterns: its children, and the routes of the pattern that ends here.
    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [(method: HTTPMethod, route: Int)] = []
    }

    private var nodes = [Node()]

    mutating func add(_ method: HTTPMethod, _ pattern: String, _ route: Int) {
        precondition(pattern.utf8.first == UInt8(ascii: "/"), "\(pattern) does not begin with a slash")
        var node = 0
        for segment in pattern.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            node = child(of: node, for: Array(segment))
        }
        precondition(!nodes[node].routes.contains { $0.method == method }, "\(method) \(pattern) has two routes")
        nodes[node].routes.append((method, route))
    }

    func match(_ method: HTTPMethod, _ path: String) -> RouteMatch<Int> {
        let bytes = path.utf8
        guard bytes.first == UInt8(ascii: "/") else { return .notFound }
        return bytes.withContiguousStorageIfAvailable { match(method, $0) }
            ?? match(method, String(decoding: bytes, as: UTF8.self))
    }

    private mutating func child(of node: Int, for segment: [UInt8]) -> Int {
        if segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}") {
            if let known = nodes[node].parameter { return known }
            nodes[node].parameter = nodes.count
        } else {
            if let known = nodes[node].literals.first(where: { $0.segment == segment }) { return known.node }
            nodes[node].literals.append((segment, nodes.count))
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    private func match(_ method: HTTPMethod, _ path: UnsafeBufferPointer<UInt8>) -> RouteMatch<Int> {
        var search = Search(method: method, path: path)
        guard let route = find(from: 0, at: 1, &search) else {
            return search.allowed.isEmpty ? .notFound : .methodNotAllowed(search.allowed)
        }
        var parameters: [String] = []
        for (index, range) in search.parameters.enumerated() {
            guard let decoded = PercentEncoding.decodeSegment(path[range]) else {
                return .invalidParameter(route, index: index)
            }
            parameters.append(decoded)
        }
        return .found(route, parameters: parameters)
    }

    /// The state of one look-up.
    private struct Search {
        let method: HTTPMethod
        let path: UnsafeBufferPointer<UInt8>
        var parameters: [Range<Int>] = []
        /// The methods of a pattern that matches the path but not the method.
        var allowed: [HTTPMethod] = []
    }

    private func find(from node: Int, at start: Int, _ search: inout Search) -> Int? {
        guard start <= search.path.count else { return route(at: node, &search) }
        let end = search.path[start...].firstIndex(of: UInt8(ascii: "/")) ?? search.path.count
        let segment = UnsafeBufferPointer(rebasing: search.path[start..<end])
        for literal in nodes[node].literals where Self.matches(segment, literal.segment) {
            if let found = find(from: literal.node, at: end + 1, &search) { return found }
            guard search.allowed.isEmpty else { return nil }
        }
        guard let parameter = nodes[node].parameter, !segment.isEmpty else { return nil }
        search.parameters.append(start..<end)
        if let found = find(from: parameter, at: end + 1, &search) { return found }
        search.parameters.removeLast()
        return nil
    }

    private func route(at node: Int, _ search: inout Search) -> Int? {
        let routes = nodes[node].routes
        if let exact = routes.first(where: { $0.method == search.method }) { return exact.route }
        if search.method == .head, let get = routes.first(where: { $0.method == .get }) { return get.route }
        for (method, _) in routes where !search.allowed.contains(method) {
            search.allowed.append(method)
            if method == .get, !search.allowed.contains(.head) { search.allowed.append(.head) }
        }
        return nil
    }

    /// Compares a segment to a literal. A segment with escapes is decoded first, because an escaped letter equals the
    /// letter (RFC 3986 §6.2.2.2).
    private static func matches(_ segment: UnsafeBufferPointer<UInt8>, _ literal: [UInt8]) -> Bool {
        if segment.count == literal.count { return segment.elementsEqual(literal) }
        guard segment.count > literal.count, segment.contains(UInt8(ascii: "%")) else { return false }
        return PercentEncoding.decodeSegment(segment).map { $0.utf8.elementsEqual(literal) } ?? false
    }
}
