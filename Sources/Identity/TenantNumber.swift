/// The number of the tenant in the text of a secret key (`kith_sk_12_…`) or of a refresh token (`kith_rt_12_…`,
/// or `kith_bs_12_…` in a browser).
///
/// In an installation with several databases it says where to look for the secret first. It is a hint: secrets from
/// before there were such numbers have none, and those of a tenant that was imported have the number that it had
/// elsewhere.
package enum TenantNumber {
    /// The number in `secret`; nil if there is none.
    package static func of(_ secret: some StringProtocol) -> Int? {
        guard ["kith_sk_", "kith_rt_", "kith_bs_"].contains(where: secret.hasPrefix) else { return nil }
        let rest = secret.dropFirst(8)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard rest.dropFirst(digits.count).first == "_" else { return nil }
        return Int32(digits).map { Int($0) }
    }
}
