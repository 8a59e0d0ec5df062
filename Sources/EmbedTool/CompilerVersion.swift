import Foundation

/// The version of a Swift compiler.
enum CompilerVersion {
    /// What stands behind "Swift version" in the output of `swiftc --version`: `6.3.1`, or `6.4-dev`.
    static func of(_ compiler: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: compiler)
        process.arguments = ["--version"]
        process.standardOutput = output
        // Apple's compiler writes the version of its driver there.
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let version = text.firstMatch(of: /Swift version ([0-9A-Za-z.-]+)/)?.1 else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: compiler])
        }
        return String(version)
    }
}
