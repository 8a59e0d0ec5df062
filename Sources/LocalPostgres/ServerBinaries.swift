import Glibc

/// A folder with PostgreSQL's programs.
struct ServerBinaries: Sendable {
    let directory: String
    let major: Int

    /// The oldest server that Kith supports.
    static let oldest = 15

    /// Returns the newest installation; for an existing cluster, the installation of its version.
    static func find(major: Int? = nil) throws(LocalPostgresError) -> ServerBinaries {
        let all = installed()
        if let major {
            if let match = all.first(where: { $0.major == major }) { return match }
            throw LocalPostgresError(
                "the database was made by PostgreSQL \(major), whose programs are missing; run: make setup")
        }
        guard let newest = all.max(by: { $0.major < $1.major }), newest.major >= oldest else {
            throw LocalPostgresError("PostgreSQL \(oldest) or newer is not installed; run: make setup")
        }
        return newest
    }

    func path(_ program: String) -> String { directory + "/" + program }

    /// Finds the installations of Debian's packages, which are not on PATH, and those on PATH.
    private static func installed() -> [ServerBinaries] {
        var found: [ServerBinaries] = []
        for name in entries(of: "/usr/lib/postgresql") {
            guard let major = Int(name) else { continue }
            found.append(ServerBinaries(directory: "/usr/lib/postgresql/\(name)/bin", major: major))
        }
        for directory in (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") {
            guard let major = major(of: directory + "/postgres") else { continue }
            found.append(ServerBinaries(directory: String(directory), major: major))
        }
        return found.filter { binaries in
            ["postgres", "initdb", "pg_ctl"].allSatisfy { access(binaries.path($0), X_OK) == 0 }
        }
    }

    /// Asks a server program for its version: `postgres (PostgreSQL) 15.18 (Debian …)`.
    private static func major(of program: String) -> Int? {
        guard access(program, X_OK) == 0, !program.contains("'"), let pipe = popen("'\(program)' --version", "re")
        else { return nil }
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), pipe) != nil else { return nil }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        guard words.count > 2 else { return nil }
        return Int(words[2].prefix { $0.isNumber })
    }
}
