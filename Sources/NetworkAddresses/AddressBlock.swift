/// A block of addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
public struct AddressBlock: Hashable, Sendable {
    private let address: NetworkAddress
    /// The length of the prefix, out of 128 bits.
    private let length: Int

    /// Reads a block: an address and the length of the prefix in bits, by default all of them. Nil when `text` is not a
    /// block.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(parts[0]) else { return nil }
        // A mapped address is written in the IPv6 form, and its prefix counts all 128 bits.
        let width = parts[0].contains(":") ? 128 : 32
        guard let length = parts.count == 1 ? width : Int(parts[1]), 0...width ~= length else { return nil }
        self.address = address
        self.length = length + 128 - width
    }

    /// Whether `other` is in the block. A block of one family contains no address of the other: `::/0` is every IPv6
    /// address, and no IPv4 address.
    public func contains(_ other: NetworkAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && (other.bits ^ address.bits) >> UInt128(128 - length) == 0
    }
}
