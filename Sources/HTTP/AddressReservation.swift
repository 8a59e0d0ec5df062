internal import Glibc

/// An address that is known before anything listens there. Nobody else can take it while the reservation lives.
public final class AddressReservation: Sendable {
    /// The address, with the port that the system chose.
    public let address: ListenAddress
    private let descriptor: Int32

    /// Takes `address`, whose port may be 0. Start its servers as ``AddressSharing/further(_:)``.
    ///
    /// - Throws: ``HTTPServerError`` when the address is in use or does not belong to this machine.
    public init(_ address: ListenAddress) throws(HTTPServerError) {
        (descriptor, self.address) = try address.reserve()
    }

    deinit {
        close(descriptor)
    }
}
