internal import API
internal import Crypto
internal import Foundation
internal import Glibc
internal import Identity
internal import Postgres

extension Configuration {
    /// Loads the master key. With an embedded database, the first use creates it.
    ///
    /// - Throws: ``CommandError`` that names the variable when the key is missing or invalid.
    func loadMasterKey() throws -> MasterKey {
        switch masterKey {
        case .missing:
            throw CommandError(
                """
                KITH_MASTER_KEY or KITH_MASTER_KEY_FILE must be set: the installation's own, such as from the environment \
                file of its servers; only for a new installation, openssl rand -hex 32 makes one
                """, status: 78)
        case .text(let text, let variable):
            return try read(variable) { () throws(CryptoError) in try MasterKey(text: text) }
        case .file(let path, let variable):
            return try read(variable) { () throws(CryptoError) in try MasterKey(file: path) }
        case .home:
            let path = homeKey
            if !FileManager.default.fileExists(atPath: path) {
                try writePrivately(MasterKey.generate().text, to: path)
            }
            return try read(path) { () throws(CryptoError) in try MasterKey(file: path) }
        }
    }

    /// Checks that the master key opens the secrets in `session`'s database.
    ///
    /// - Throws: ``CommandError`` when it does not. If the database cannot be queried, nothing is thrown: the code that
    ///   needs it reports that.
    func check(_ masterKey: MasterKey, _ session: PostgresSession?) throws(CommandError) {
        guard let session else { return }
        if let objection = try? SealedKeys.objection(to: masterKey, session) {
            throw CommandError(objection, status: 78)
        }
    }

    /// The file that contains the master key; nil when a variable contains it.
    var masterKeyFile: String? {
        switch masterKey {
        case .file(let path, _): path
        case .home: homeKey
        case .text, .missing: nil
        }
    }

    private var homeKey: String { "\(home)/master.key" }

    private func read(_ place: String, _ key: () throws(CryptoError) -> MasterKey) throws -> MasterKey {
        do throws(CryptoError) {
            return try key()
        } catch {
            throw CommandError("\(place): \(error)", status: 78)
        }
    }

    /// Writes a file that only its owner can read.
    func writePrivately(_ text: String, to path: String) throws {
        let made = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw CommandError("\(path) cannot be written") }
    }

    /// Replaces the text of a file atomically, and keeps its mode and owner. A reader, or a crash at any time, finds
    /// either the old text or the new one.
    func replace(_ path: String, by text: String) throws {
        // Resolve symbolic links, so that a link stays a link.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw CommandError("\(path) cannot be read") }
        let beside = "\(path).new"
        let file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CommandError("\(beside) cannot be written: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fchown(file, facts.st_uid, facts.st_gid) == 0,
            fchmod(file, facts.st_mode & 0o7777) == 0, fsync(file) == 0, rename(beside, path) == 0
        else {
            let reason = String(cString: strerror(errno))
            unlink(beside)
            throw CommandError("\(path) cannot be written: \(reason)")
        }
        // Otherwise a power cut could bring back the old file, without the key that has sealed secrets since.
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}
