import Foundation
import PackagePlugin

/// Embeds files into the target as one Swift source, so that the program needs no files beside it: the target's folder
/// `Catalogue` or `Assets` if it has one, and otherwise every file in the folders of the package's `sql/`.
@main
struct EmbedTree: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let own = ["Catalogue", "Assets"].map { target.directoryURL.appending(path: $0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        let root = own ?? context.package.directoryURL.appending(path: "sql")
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        // Those directly in `sql/` describe the schema; they do not make it.
        let files = (found?.allObjects as? [URL] ?? [])
            .filter {
                own != nil
                    ? ["json", "css", "js", "svg", "png"].contains($0.pathExtension)
                    : $0.pathExtension == "sql" && $0.deletingLastPathComponent().lastPathComponent != "sql"
            }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embed \(root.lastPathComponent)/",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [root.path, output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
