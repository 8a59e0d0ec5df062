/// A client of one tenant of a Kith server.
public final class Kith: Sendable {
    /// Carries out every call: over HTTP, or from prepared answers in tests and previews.
    let caller: any KithCaller

    /// Creates a client whose calls `caller` carries out.
    init(caller: any KithCaller) {
        self.caller = caller
    }

    /// Every call of the API, one function each, generated from its description.
    public var api: KithAPI { KithAPI(caller: caller) }
}

/// Every call of the API, one function each, generated from its description.
public struct KithAPI: Sendable {
    let caller: any KithCaller
}
