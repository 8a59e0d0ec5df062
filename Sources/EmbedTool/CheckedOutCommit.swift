import Foundation

/// The commit that is checked out in a folder.
///
/// It is read from `.git`, because a build must work where Git is not installed.
enum CheckedOutCommit {
    /// The full name of the commit; empty when that cannot be told, as in an unpacked archive.
    static func name(in folder: URL) -> String {
        var git = folder.appending(path: ".git")
        // In a worktree, `.git` is a file that names its folder, and `commondir` there names the repository's
        // (gitrepository-layout(5)).
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
