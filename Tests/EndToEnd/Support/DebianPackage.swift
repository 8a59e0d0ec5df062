import Foundation

/// The Debian package of the program that the tests run, made as `make package` makes it.
struct DebianPackage: Sendable {
    let file: URL

    /// The package, and the same package with a lower version. Both are made once.
    static let built = Result { () throws -> (current: DebianPackage, previous: DebianPackage) in
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-package-\(getpid())")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        Self.folder = folder
        atexit { if let folder = DebianPackage.folder { try? FileManager.default.removeItem(at: folder) } }
        let program = try linkStatically(in: folder)
        let made = try run(
            [repository.appending(path: "deploy/package").path, program.path, folder.path, "2.0-1"],
            environment: ["DEB_BUILD_OPTIONS": "noautodbgsym"])
        let current = DebianPackage(file: URL(filePath: made.trimmingCharacters(in: .whitespacesAndNewlines)))
        return (current, try current.repacked(as: "1.0-1", in: folder))
    }

    private nonisolated(unsafe) static var folder: URL?
    private static let repository = Tool.tests.deletingLastPathComponent()

    /// Links the objects of `swift build` with Swift's static libraries, as a release is linked. That takes 2 s, and
    /// building a release takes minutes.
    private static func linkStatically(in folder: URL) throws -> URL {
        let program = folder.appending(path: "kith")
        let objects = KithProcess.executable.deletingLastPathComponent().appending(
            path: "kith.product/Objects.LinkFileList")
        let libraries = [
            "swiftSynchronization", "swift_Builtin_float", "Foundation", "FoundationInternationalization",
            "FoundationEssentials", "CoreFoundation", "_FoundationICU", "_FoundationCShims", "_FoundationCollections",
            "m", "crypto", "curl", "jansson", "phonenumber", "pq", "protobuf",
        ]
        // SwiftPM names the main function of an executable after its module, so that tests can import it.
        _ = try run(
            ["swiftc", "-static-stdlib", "-emit-executable", "-o", program.path, "@\(objects.path)"]
                + ["-Xlinker", "--defsym", "-Xlinker", "main=kith_main"] + libraries.map { "-l\($0)" })
        return program
    }

    /// The package with another version, and otherwise the same.
    private func repacked(as version: String, in folder: URL) throws -> DebianPackage {
        let tree = folder.appending(path: "repacked")
        let package = folder.appending(path: "kith_\(version).deb")
        _ = try Self.run(["dpkg-deb", "--raw-extract", file.path, tree.path])
        let control = tree.appending(path: "DEBIAN/control")
        let text = try String(contentsOf: control, encoding: .utf8)
        try text.replacing(/Version: .*/, with: "Version: \(version)").write(
            to: control, atomically: true, encoding: .utf8)
        _ = try Self.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree.path, package.path])
        return DebianPackage(file: package)
    }

    /// The packages that it depends on, in the first alternative of each.
    func dependencies() throws -> [String] {
        try Self.run(["dpkg-deb", "--field", file.path, "Depends"]).split(separator: ",").map { dependency in
            String(dependency.trimmingCharacters(in: .whitespacesAndNewlines).prefix { !" |(".contains($0) })
        }
    }

    /// Runs a program to its end, by the machine's clock: a container has no library that sets another one
    /// (`Tests/clocks`).
    ///
    /// - Throws: `KithProcess.Failure` with its output if it fails.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let result = try Tool.run(
            URL(filePath: "/usr/bin/env"), ["--unset=LD_PRELOAD"] + arguments, environment: environment)
        guard result.status == 0 else {
            throw KithProcess.Failure(description: "\(arguments.joined(separator: " ")): \(result.output)")
        }
        return result.output
    }
}
