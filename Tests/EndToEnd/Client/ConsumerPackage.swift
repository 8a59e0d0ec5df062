import Foundation

/// A fresh package of a developer whose programs depend on the libraries by the URL of a Git repository, and the folder
/// that both lie in.
///
/// The repository is a copy of the working tree with what is not committed yet.
struct ConsumerPackage {
    private let folder: URL
    private var package: URL { folder.appending(path: "app") }
    /// The folder of the programs that stand in for those of the machine.
    private var programs: URL { folder.appending(path: "bin") }

    /// Makes a package with an app on KithClient and a server on KithServer, each a program with a source.
    init(app: String, server: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kith-consumer-\(UUID().uuidString)")
        try makeRepository()
        try write(
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "app",
                platforms: [.iOS(.v17), .macOS(.v14)],
                dependencies: [.package(url: "file://\(folder.path)/kith", from: "1.0.0")],
                targets: [
                    .executableTarget(name: "app", dependencies: [.product(name: "KithClient", package: "kith")]),
                    .executableTarget(name: "server", dependencies: [.product(name: "KithServer", package: "kith")]),
                ]
            )
            """, to: package.appending(path: "Package.swift"))
        try write(app, to: package.appending(path: "Sources/app/main.swift"))
        try write(server, to: package.appending(path: "Sources/server/main.swift"))
        // A machine without the server's libraries: SwiftPM asks pkg-config where their descriptions are.
        let pkgConfig = programs.appending(path: "pkg-config")
        try write("#!/bin/sh\nexit 1\n", to: pkgConfig)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: pkgConfig.path)
    }

    /// Resolves the package and builds a program; all that SwiftPM wrote.
    func build(_ program: String) throws -> String {
        let cache = folder.appending(path: "cache").path
        return try run(["swift", "build", "--cache-path", cache, "--product", program], in: package)
    }

    /// Runs a built program; its output.
    func run(_ program: String) throws -> String {
        try run([package.appending(path: ".build/debug/\(program)").path], in: package)
    }

    /// The names of the shared libraries that a built program needs.
    func libraries(_ program: String) throws -> [String] {
        try run(["readelf", "--dynamic", package.appending(path: ".build/debug/\(program)").path], in: package)
            .matches(of: /\(NEEDED\).*\[(.*?)\]/).map { String($0.1) }
    }

    /// Removes the package and the repository.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private func makeRepository() throws {
        let copy = folder.appending(path: "kith")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        let script = """
            set -e
            git ls-files --cached --others --exclude-standard -z |
              while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\\0' "$file"; done |
              tar --null --files-from=- --create | tar --extract --directory "$0"
            cd "$0"
            git init --quiet --initial-branch main
            git add --all
            git -c user.name=Kith -c user.email=kith@example.com commit --quiet --message 'Release 1.0.0'
            git tag 1.0.0
            """
        _ = try run(["bash", "-c", script, copy.path], in: Tool.tests.deletingLastPathComponent())
    }

    private func run(_ command: [String], in folder: URL) throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let (status, output) = try Tool.run(
            URL(filePath: "/usr/bin/env"), command, environment: ["PATH": "\(programs.path):\(path)"], in: folder)
        guard status == 0 else { throw KithProcess.Failure(description: "\(command): \(output)") }
        return output
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
