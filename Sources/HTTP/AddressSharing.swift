/// Whether servers of one process listen on the same address, each on its own event loop. The kernel then distributes
/// the connections among them (socket(7), SO_REUSEPORT).
public enum AddressSharing: Sendable {
    /// The server has the address to itself.
    case alone
    /// The first of several servers. Like a server alone, it fails if any other process listens there.
    case first
    /// A further server, on the address that the first one has, or that an ``AddressReservation`` keeps.
    case further(ListenAddress)
}
