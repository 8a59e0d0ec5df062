internal import Crypto
internal import Delivery

/// Six digits that come back from an address prove that somebody has it.
///
/// The database keeps a hash under a key that it does not have: a million codes are soon tried, so a plain hash would hide nothing.
enum OneTimeCode {
    /// A new code: its row as the database takes it, `{id, hash, sealed}`, and nothing else, because nobody here needs to see it.
    static func make(tenant: Int, at now: Int64, with masterKey: MasterKey) throws(Problem) -> JSONWriter {
        let code = digits(randomBytes)
        let id = UUID7.make(at: now)
        var json = JSONWriter()
        do throws(CryptoError) {
            let hash = try hashes(code, id: id, tenant: tenant, with: masterKey)[0]
            let sealed = try DeliverySecret.seal(code, tenant: tenant, delivery: id, with: masterKey)
            json.object { json in
                json.field("id", id)
                json.field("hash", hash)
                json.field("sealed", Hex.encode(sealed))
            }
        } catch {
            throw Problem(fault: "\(error)")
        }
        return json
    }

    /// The hash of `code` as the row `id` has it, in hexadecimal, if the code is the row's: one for each key that the row may have been made
    /// with. Whose address the row is, only the database says: which spellings of one are the same is its rule.
    static func hashes(
        _ code: String, id: String, tenant: Int, with masterKey: MasterKey
    ) throws(CryptoError) -> [String] {
        let message = "\(tenant)\n\(id.lowercased())\n\(code)"
        return try masterKey.derived(for: "otp_codes").map { Hex.encode($0.authenticationCode(for: message.utf8)) }
    }

    /// Six digits, each code as likely as any other: numbers past the last whole million are thrown again.
    static func digits(_ random: (Int) -> [UInt8]) -> String {
        while true {
            let number = random(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let code = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - code.utf8.count) + code
        }
    }
}
