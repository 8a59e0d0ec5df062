internal import Crypto
internal import Foundation

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
            do throws(CryptoError) {
                return try MasterKey(text: text)
            } catch {
                throw CommandError("\(variable): \(error)", status: 78)
            }
        case .home:
            let path = "\(home)/master.key"
            if let text = try? String(contentsOfFile: path, encoding: .utf8) {
                do throws(CryptoError) {
                    return try MasterKey(text: text)
                } catch {
                    throw CommandError("\(path): \(error)", status: 78)
                }
            }
            let key = MasterKey.generate()
            try writePrivately(key.text + "\n", to: path)
            return key
        }
    }

    /// Writes a file that only its owner can read.
    func writePrivately(_ text: String, to path: String) throws {
        let made = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw CommandError("\(path) cannot be written") }
    }
}
