/// A hook that an ``EventLoop`` calls before each wait.
public final class LoopHook {
    private let loop: EventLoop
    let ask: () -> Duration?

    init(loop: EventLoop, _ ask: @escaping () -> Duration?) {
        self.loop = loop
        self.ask = ask
    }

    /// Removes the hook, and releases what it captured.
    public func cancel() {
        loop.remove(self)
    }
}
