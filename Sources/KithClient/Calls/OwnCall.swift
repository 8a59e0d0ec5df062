/// Whether the person's own call for help may be open, as far as this device knows. All screens of a client share it,
/// so that a button knows of a call that another screen has just made.
final class OwnCall: Sendable {
    private let state = Locked((isOpen: false, changes: 0))

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How often this process has assumed that a call is open.
    var changes: Int { state.withLock { $0.changes } }

    /// A call begins or ends its way to the server. It may arrive even if it has no answer.
    func assume() { state.withLock { $0 = (true, $0.changes + 1) } }

    /// Takes the server's word. `changes` is the number before the server was asked: an answer from before a call, or
    /// from while it was on its way, says nothing about it.
    func learn(_ isOpen: Bool, since changes: Int) {
        state.withLock { if $0.changes == changes { $0.isOpen = isOpen } }
    }
}
