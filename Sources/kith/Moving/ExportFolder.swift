internal import Crypto
internal import Foundation
internal import Glibc
internal import JSON

/// The folder of a tenant's export: `manifest.json` with its code in `manifest.json.hmac`, and files of rows.
///
/// Each line of a file of rows is a row as a JSON object, for tables with a sealed column followed by a tab and that
/// column in base64. The manifest is written last, so a folder without one is unfinished.
struct ExportFolder {
    static let manifest = "manifest.json"
    private static let code = "manifest.json.hmac"
    /// Names the tenant of an unfinished export.
    private static let mark = "unfinished"

    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// A file of rows, as the manifest lists it.
    struct File: Codable, Sendable {
        let name: String
        let rows: Int
        let bytes: Int
        /// The SHA-256 of its content, in hexadecimal digits.
        let sha256: String

        /// The table whose rows it has.
        var table: String { String(name.prefix { $0 != "." }) }
    }

    /// What the manifest says about a table: how many rows it has, and the SHA-256 of their JSON, each row followed by
    /// a newline.
    struct Table: Codable, Sendable {
        let rows: Int
        let sha256: String
    }

    // MARK: - Writing

    /// Creates the folder for an export of the tenant, or continues an unfinished one.
    func begin(_ slug: String) throws(CommandError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if names.contains(Self.manifest) {
            throw CommandError("\(path) has a finished export already: give an empty folder", status: 73)
        }
        guard names.isEmpty || text(Self.mark) == slug else {
            throw CommandError(
                "\(path) is neither empty nor an unfinished export of \(slug): give an empty folder", status: 73)
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failed("create", path) }
        try write(Array(slug.utf8), to: Self.mark)
    }

    /// Writes the manifest, after which the export is finished.
    func finish(_ manifest: [UInt8], code: String) throws(CommandError) {
        try write(Array(code.utf8), to: Self.code)
        try write(manifest, to: Self.manifest)
        unlink("\(path)/\(Self.mark)")
    }

    /// Writes a file under another name first, and renames it when it is on the disk. A file with its name is therefore
    /// whole.
    func write(_ bytes: [UInt8], to name: String) throws(CommandError) {
        let unfinished = "\(path)/\(name).new"
        let file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failed("write", name) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failed("write", name) }
            written += count
        }
        guard fsync(file) == 0, rename(unfinished, "\(path)/\(name)") == 0 else { throw failed("write", name) }
    }

    /// The slug of the tenant in a manifest.
    ///
    /// - Throws: ``CommandError`` if it has none.
    static func slug(in manifest: [UInt8]) throws -> String {
        guard let slug = try? JSONDocument(manifest).root["slug"]?.string else {
            throw CommandError("the manifest names no tenant", status: 65)
        }
        return slug
    }

    /// The SHA-256 of the names and digests of `files`: the hash over everything.
    static func digest(of files: [File]) -> String {
        Hex.encode(sha256(files.map { "\($0.name) \($0.sha256)\n" }.joined().utf8))
    }

    private func failed(_ verb: String, _ name: String) -> CommandError {
        CommandError("cannot \(verb) \(name) in \(path): \(String(cString: strerror(errno)))", status: 73)
    }

    // MARK: - Reading

    /// The manifest, if `keys` prove that it was written with the same export key.
    func readManifest(_ keys: MoveKeys) throws -> [UInt8] {
        guard let manifest = FileManager.default.contents(atPath: "\(path)/\(Self.manifest)").map({ [UInt8]($0) }),
            let code = text(Self.code)
        else {
            throw CommandError("\(path) has no finished export: kith tenant export makes one", status: 66)
        }
        guard code == (try keys.code(of: manifest)) else {
            throw CommandError(
                "\(Self.manifest) was changed, or --key is not the key of this export", status: 65)
        }
        return manifest
    }

    /// The content of a file that the manifest lists.
    func read(_ file: File) throws -> [UInt8] {
        guard file.name.wholeMatch(of: /[a-z_]+\.[0-9a-f-]+\.rows/) != nil else {
            throw CommandError("the manifest lists \(file.name), which is no file of an export", status: 65)
        }
        guard let bytes = bytes(file.name) else {
            throw CommandError("\(file.name) is missing in \(path): copy it from where it was exported", status: 66)
        }
        guard bytes.count == file.bytes, Hex.encode(sha256(bytes)) == file.sha256 else {
            throw CommandError(
                "\(file.name) is not as it was exported: copy it again from where it was exported", status: 65)
        }
        return bytes
    }

    /// The content of a file; nil if there is none.
    func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) }
    }

    private func text(_ name: String) -> String? {
        bytes(name).map { String(decoding: $0, as: UTF8.self) }
    }
}
