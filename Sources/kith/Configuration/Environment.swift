internal import Foundation
internal import HTTP

/// The variables that configure Kith. The process's environment takes precedence over `--env-file`.
struct Environment {
    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// Loads the process's environment, the file named by `--env-file`, and the name given by `--cell`. Both options
    /// are removed from `arguments`.
    ///
    /// - Throws: ``CommandError`` for a file that cannot be read or a line that is not `NAME=value`.
    static func load(_ arguments: inout Arguments) throws -> Environment {
        var variables: [String: String] = [:]
        if let path = try arguments.option("env-file") {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandError("--env-file \(path) cannot be read", status: 78)
            }
            variables = try parse(text, path)
        }
        variables.merge(ProcessInfo.processInfo.environment) { $1 }
        if let cell = try arguments.option("cell") { variables["KITH_CELL"] = cell }
        return Environment(variables)
    }

    /// Parses `NAME=value` lines. It skips blank lines and lines that begin with `#`, and removes a pair of quotes
    /// around a value.
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

    /// The value of a variable; nil when it is not set or empty.
    subscript(name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The names that begin with `KITH_` and are not in `known`, except those that Kubernetes sets.
    func names(besides known: Set<String>) -> [String] {
        variables.filter { name, value in
            name.hasPrefix("KITH_") && !known.contains(name) && !Self.isOfKubernetes(name, value)
        }.keys.sorted()
    }

    /// Whether Kubernetes sets the variable for a Service whose name is `kith` or begins with `kith-`:
    /// `KITH_SERVICE_HOST`, `KITH_API_PORT_8080_TCP_ADDR` (Kubernetes documentation, "Service", "Environment
    /// variables"). Both the name and the value must match, so that a misspelt variable of ours is still refused.
    private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") {
            return ListenAddress("\(value):1") != nil || ListenAddress("[\(value)]:1") != nil
        }
        let port = /KITH(_[A-Z0-9]+)*_PORT(_[0-9]{1,5}_(TCP|UDP|SCTP))?/
        let part = /KITH(_[A-Z0-9]+)*_PORT_[0-9]{1,5}_(TCP|UDP|SCTP)_(PORT|PROTO|ADDR)/
        let number = /KITH(_[A-Z0-9]+)*_SERVICE_PORT(_[A-Z0-9_]+)?/
        if name.wholeMatch(of: number) != nil { return UInt16(value) != nil }
        if name.wholeMatch(of: part) != nil { return true }
        return name.wholeMatch(of: port) != nil && value.firstMatch(of: /^(tcp|udp|sctp):\/\//) != nil
    }
}
