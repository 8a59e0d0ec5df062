/// The arguments of a command: positional arguments, options with a value (`--name N` or `--name=N`), and flags.
struct Arguments {
    private var rest: [String]

    init(_ arguments: [String]) {
        rest = arguments
    }

    /// Removes a flag. Returns whether it was there.
    mutating func flag(_ name: String) -> Bool {
        guard let index = rest.firstIndex(of: "--\(name)") else { return false }
        rest.remove(at: index)
        return true
    }

    /// Removes an option. Returns its value, or nil when it was not there.
    ///
    /// - Throws: ``CommandError`` when the value is missing.
    mutating func option(_ name: String) throws(CommandError) -> String? {
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

    /// Removes and returns the next positional argument.
    ///
    /// - Throws: ``CommandError`` that names the missing argument.
    mutating func positional(_ what: String) throws(CommandError) -> String {
        guard let first = rest.first, !first.hasPrefix("--") else { throw CommandError("missing \(what)", status: 64) }
        return rest.removeFirst()
    }

    /// Removes and returns the next positional argument; nil if there is none.
    mutating func next() -> String? {
        guard let first = rest.first, !first.hasPrefix("--") else { return nil }
        return rest.removeFirst()
    }

    /// Removes and returns all arguments that are left.
    mutating func remaining() -> [String] {
        defer { rest = [] }
        return rest
    }

    /// Ends the reading.
    ///
    /// - Throws: ``CommandError`` when an unknown argument is left.
    func finish() throws(CommandError) {
        guard rest.isEmpty else { throw CommandError("unknown argument \(rest[0])", status: 64) }
    }
}
