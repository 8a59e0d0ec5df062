import Foundation
import PackagePlugin

/// Embeds the commit that the package is built from and the version of the compiler, so that a program can say what it
/// is.
@main
struct EmbedCommit: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedCommit.swift")
        return [
            .buildCommand(
                displayName: "Embed the commit and the compiler's version",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [
                    "--commit-of", root.path, "--compiler", try context.tool(named: "swiftc").url.path, output.path,
                ],
                inputFiles: Self.history(of: root),
                outputFiles: [output])
        ]
    }

    /// The file to which Git adds a line whenever another commit is checked out or made; nothing where there is none.
    private static func history(of root: URL) -> [URL] {
        var git = root.appending(path: ".git")
        // In a worktree, `.git` is a file that names its folder.
        if let link = try? String(contentsOf: git, encoding: .utf8), link.hasPrefix("gitdir: ") {
            git =
                URL(
                    filePath: link.dropFirst(8).trimmingCharacters(in: .whitespacesAndNewlines),
                    directoryHint: .isDirectory,
                    relativeTo: root
                ).absoluteURL
        }
        return [git.appending(path: "logs/HEAD")].filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
