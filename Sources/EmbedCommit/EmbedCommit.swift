import Foundation
import PackagePlugin

/// Embeds the commit that the package is built from, so that a program can say what it is.
///
/// It reads `.git` by itself: a build must work where Git is not installed. Without `.git`, as in an unpacked archive, the commit is empty.
@main
struct EmbedCommit: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedCommit.swift")
        return [
            .buildCommand(
                displayName: "Embed the commit",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: ["--commit", Self.commit(of: context.package.directoryURL), output.path],
                inputFiles: [],
                outputFiles: [output])
        ]
    }

    /// The full name of the commit that is checked out in `folder`; empty when that cannot be told.
    private static func commit(of folder: URL) -> String {
        var git = folder.appending(path: ".git")
        // In a worktree, `.git` is a file that names its folder, and `commondir` there names the repository's (gitrepository-layout(5)).
        if let link = text(git), link.hasPrefix("gitdir: ") {
            git = URL(filePath: String(link.dropFirst(8)), directoryHint: .isDirectory, relativeTo: folder)
        }
        let common = text(git.appending(path: "commondir")).map { URL(filePath: $0, relativeTo: git) } ?? git
        guard let head = text(git.appending(path: "HEAD")) else { return "" }
        guard head.hasPrefix("ref: ") else { return head }
        let reference = String(head.dropFirst(5))
        if let commit = text(common.appending(path: reference)) { return commit }
        let packed = text(common.appending(path: "packed-refs"))?.split(separator: "\n") ?? []
        return packed.first { $0.hasSuffix(" \(reference)") }.map { String($0.prefix { $0 != " " }) } ?? ""
    }

    private static func text(_ file: URL) -> String? {
        try? String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
