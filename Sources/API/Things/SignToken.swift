internal import Crypto

/// The token in the address of a thing: the tenant's number, a hyphen, and 32 hexadecimal digits.
struct SignToken {
    let tenantID: Int
    /// The SHA-256 by which the database finds the sign.
    let hash: [UInt8]

    /// Reads a token; nil if `text` cannot be one, so that no such request reaches the database.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...10).contains(parts[0].count), parts[0].first != UInt8(ascii: "0"),
            parts[0].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let tenantID = Int32(String(parts[0]) ?? ""), parts[1].count == 32,
            parts[1].allSatisfy({ digit in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
            })
        else { return nil }
        self.tenantID = Int(tenantID)
        hash = sha256(text.utf8)
    }
}
