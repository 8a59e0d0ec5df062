/// A block of addresses with a common prefix, such as 10.0.0.0/8.
public struct AddressBlock: Sendable, Equatable {
    let address: IPAddress
    let length: Int

    /// Reads a block: an address and the length of the prefix in bits, by default all of them. Nil when `text` is not a
    /// block.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard let length = parts.count == 1 ? address.width : Int(parts[1]), 0...address.width ~= length else {
            return nil
        }
        self.address = address
        self.length = length
    }

    func contains(_ other: IPAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && (other.bits ^ address.bits) >> UInt128(address.width - length) == 0
    }
}
