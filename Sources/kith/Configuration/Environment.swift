internal import Foundation

/// The variables that configure Kith: the process's environment, over those of `--env-file`.
struct Environment {
    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The process's environment, and the file named by `--env-file`, which is taken out of `arguments`.
    ///
    /// - Throws: ``CommandError`` for a file that cannot be read or a line that is no `NAME=value`.
    static func load(_ arguments: inout Arguments) throws -> Environment {
        var variables: [String: String] = [:]
        if let path = try arguments.option("env-file") {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandError("--env-file \(path) cannot be read", status: 78)
            }
            variables = try parse(text, path)
        }
        return Environment(variables.merging(ProcessInfo.processInfo.environment) { $1 })
    }

    /// `NAME=value` lines; blank lines and lines that begin with `#` are skipped; a pair of quotes around a value is dropped.
    static func parse(_ text: String, _ path: String) throws -> [String: String] {
        var variables: [String: String] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else {
                throw CommandError("\(path):\(number + 1): expected NAME=value", status: 78)
            }
            var value = line[line.index(after: equals)...]
            if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote {
                value = value.dropFirst().dropLast()
            }
            variables[String(line[..<equals])] = String(value)
        }
        return variables
    }

    /// The variable's value; nil when it is not set or empty.
    subscript(name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Every name that begins with `KITH_`.
    var names: [String] { variables.keys.filter { $0.hasPrefix("KITH_") }.sorted() }
}
