internal import API
internal import Crypto
internal import Foundation
internal import Glibc
internal import Postgres

extension Configuration {
    /// The master key, which `kith dev` and its fellows make on the first use of an embedded database.
    ///
    /// - Throws: ``CommandError`` that names the variable when there is none or it is no key.
    func loadMasterKey() throws -> MasterKey {
        switch masterKey {
        case .missing:
            throw CommandError(
                "KITH_MASTER_KEY or KITH_MASTER_KEY_FILE must be set (openssl rand -hex 32 makes one)", status: 78)
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

    /// Sees whether the master key opens what rests in the database of `url`, which is asked as `role`.
    ///
    /// - Throws: ``CommandError`` when it does not. Where the database cannot be asked nothing is known, and whoever needs it will say so.
    func check(_ masterKey: MasterKey, for url: String, as role: String) throws {
        guard let session = try? PostgresSession(url: url, settings: Database.settings(role: role)) else { return }
        if let objection = try? SealedKeys.objection(to: masterKey, session) {
            throw CommandError(objection, status: 78)
        }
    }

    /// The file that the master key is kept in; nil where a variable holds it.
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

    /// Puts `text` in the place of a file's, whose mode and owner stay: whoever reads it, and whatever happens meanwhile, finds the old
    /// text or the new one.
    func replace(_ path: String, by text: String) throws {
        // Through a link, so that the link stays one.
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
        // So that a power cut cannot bring the old one back, without the key that has sealed meanwhile.
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}
