/// The arguments of a command: positional ones, options with a value (`--name N` or `--name=N`) and flags.
struct Arguments {
    private var rest: [String]

    init(_ arguments: [String]) {
        rest = arguments
    }

    /// Takes a flag out; whether it was there.
    mutating func flag(_ name: String) -> Bool {
        guard let index = rest.firstIndex(of: "--\(name)") else { return false }
        rest.remove(at: index)
        return true
    }

    /// Takes an option out; its value, or nil when it was not there.
    ///
    /// - Throws: ``CommandError`` when the value is missing.
    mutating func option(_ name: String) throws -> String? {
        guard let index = rest.firstIndex(where: { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }) else {
            return nil
        }
        let word = rest.remove(at: index)
        if let equals = word.firstIndex(of: "=") { return String(word[word.index(after: equals)...]) }
        guard index < rest.count, !rest[index].hasPrefix("--") else {
            throw CommandError("--\(name) needs a value", status: 64)
        }
        return rest.remove(at: index)
    }

    /// Takes the next positional argument out.
    ///
    /// - Throws: ``CommandError`` naming what is missing.
    mutating func positional(_ what: String) throws -> String {
        guard let first = rest.first, !first.hasPrefix("--") else { throw CommandError("missing \(what)", status: 64) }
        return rest.removeFirst()
    }

    /// Takes everything that is left.
    mutating func remaining() -> [String] {
        defer { rest = [] }
        return rest
    }

    /// Ends the reading.
    ///
    /// - Throws: ``CommandError`` when anything is left that nobody asked for.
    func finish() throws {
        guard rest.isEmpty else { throw CommandError("unknown argument \(rest[0])", status: 64) }
    }
}
