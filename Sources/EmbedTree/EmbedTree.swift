import Foundation
import PackagePlugin

/// Embeds every file of the package's `sql/` folder into the target as one Swift source, so that the program contains
/// its schema and needs no files beside it.
@main
struct EmbedTree: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL.appending(path: "sql")
        let folders = ["migrations", "functions", "policies"].map { root.appending(path: $0) }
        let files = folders.flatMap { folder -> [URL] in
            let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "sql" }
        }.sorted { $0.path < $1.path }
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
