import Foundation

/// The files of the repository that this test was built from.
enum Repository {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func url(_ path: String) -> URL { root.appending(path: path) }

    /// Throws for a file that is not UTF-8 text.
    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// The paths of all files below a folder, without those of hidden folders.
    static func files(in folder: String) -> [String] {
        let found = FileManager.default.enumerator(
            at: url(folder), includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
        let files = (found?.allObjects ?? []).compactMap { $0 as? URL }.filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
        return files.map { String($0.path.dropFirst(root.path.count + 1)) }.sorted()
    }
}

extension NSRegularExpression {
    func matches(in text: some StringProtocol) -> [String] {
        let text = String(text)
        return matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range, in: text).map { String(text[$0]) }
        }
    }
}
