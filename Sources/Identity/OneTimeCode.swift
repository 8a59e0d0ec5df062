internal import Crypto
internal import Delivery
internal import JSON
internal import Problems
internal import Requests

/// A six-digit code that proves control of the address it was sent to.
///
/// The database stores only a keyed hash and does not have the key. A plain hash would hide nothing: a million codes
/// are quickly tried.
enum OneTimeCode {
    /// Makes a new code and returns its row for the database, `{id, hash, sealed}`. The code itself is not returned,
    /// since nothing needs it. A form that is sent twice gives the same id, for which the database sends one message.
    static func make(
        tenant: Int, for address: String, formKey: FormKey?, at now: Int64, with masterKey: MasterKey
    ) throws(Problem) -> JSONWriter {
        let code = digits(randomBytes)
        var json = JSONWriter()
        do throws(CryptoError) {
            let id = try formKey?.id(for: "code\n\(tenant)\n\(address)", with: masterKey) ?? UUID7.make(at: now)
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

    /// The hashes, in hexadecimal, that the row `id` can have if `code` is its code: one for each master key that may
    /// have made the row. The address is not part of the hash, since only the database knows which spellings of an
    /// address are the same.
    static func hashes(
        _ code: String, id: String, tenant: Int, with masterKey: MasterKey
    ) throws(CryptoError) -> [String] {
        let message = "\(tenant)\n\(id.lowercased())\n\(code)"
        return try masterKey.derived(for: "otp_codes").map { Hex.encode($0.authenticationCode(for: message.utf8)) }
    }

    /// Six digits, uniformly distributed: random numbers past the last whole million are discarded.
    static func digits(_ random: (Int) -> [UInt8]) -> String {
        while true {
            let number = random(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let code = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - code.utf8.count) + code
        }
    }
}
