import Foundation
import PackagePlugin

/// Embeds files into the target as one Swift source, so that the program needs no files beside it: the target's folder `Catalogue` if it has
/// one, and otherwise every file in the folders of the package's `sql/`.
@main
struct EmbedTree: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let catalogue = target.directoryURL.appending(path: "Catalogue")
        let hasCatalogue = FileManager.default.fileExists(atPath: catalogue.path)
        let root = hasCatalogue ? catalogue : context.package.directoryURL.appending(path: "sql")
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        // Those directly in `sql/` describe the schema; they do not make it.
        let files = (found?.allObjects as? [URL] ?? [])
            .filter {
                hasCatalogue
                    ? $0.pathExtension == "json"
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
