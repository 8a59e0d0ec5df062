import Foundation
import PackagePlugin

/// Embeds every file in the folders of the package's `sql/` into the target as one Swift source, so that the program contains
/// its schema and needs no files beside it.
@main
struct EmbedTree: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL.appending(path: "sql")
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        // Those directly in the folder describe the schema; they do not make it.
        let files = (found?.allObjects as? [URL] ?? [])
            .filter { $0.pathExtension == "sql" && $0.deletingLastPathComponent().lastPathComponent != "sql" }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embed sql/",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [root.path, output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
