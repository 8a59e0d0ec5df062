/// Puts the addresses of modules into the modules that import them, so that a change of one changes the names of all
/// that depend on it.
struct AssetLinker {
    private let texts: [String: String]
    private let order: [String]

    init(_ files: [(path: String, text: String)]) {
        texts = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })
        order = files.map(\.path)
    }

    /// All files. Modules that import each other in a circle have no names and are a programming error.
    var assets: [Asset] {
        var made: [String: Asset] = [:]
        return order.map { asset($0, &made, importedBy: []) }
    }

    private func asset(_ path: String, _ made: inout [String: Asset], importedBy importers: [String]) -> Asset {
        if let asset = made[path] { return asset }
        guard var text = texts[path] else { preconditionFailure("there is no Assets/\(path)") }
        precondition(!importers.contains(path), "Assets/\(path) imports itself: \(importers)")
        if path.hasSuffix(".js") {
            let names = text.matches(of: /from "\.\/([a-z-]+\.js)";/).map { String($0.1) }
            for name in names {
                let imported = asset(name, &made, importedBy: importers + [path])
                text = text.replacing("from \"./\(name)\";", with: "from \"\(imported.path)\";")
            }
        }
        let asset = Asset(path, text)
        made[path] = asset
        return asset
    }
}
