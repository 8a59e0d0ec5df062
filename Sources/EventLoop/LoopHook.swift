/// What an ``EventLoop`` asks before each of its waits.
public final class LoopHook {
    private let loop: EventLoop
    let ask: () -> Duration?

    init(loop: EventLoop, _ ask: @escaping () -> Duration?) {
        self.loop = loop
        self.ask = ask
    }

    /// Ends the asking, and gives free what the hook captured.
    public func cancel() {
        loop.remove(self)
    }
}
