extension LimitChapter {
    static let streams = LimitChapter(
        name: "streams",
        limits: [
            Limit(
                "streams of one server, as far as the system's limit on open files allows", "{0}",
                [LimitReading(rates, "public var streams = ([0-9_]+)\n")], "{unavailable}",
                changedBy: [.variable("KITH_STREAMS")], refusedIn: file),
            Limit(
                "streams of one user", "{0}", [LimitReading(file, "mostOfUser: Int = ([0-9]+)")], "{too_many_requests}"),
            Limit(
                "streams of one tenant", "{0}/{1} of the server's",
                [
                    LimitReading(file, "most \\* ([0-9]+) / [0-9]+\\)"),
                    LimitReading(file, "most \\* [0-9]+ / ([0-9]+)\\)"),
                ], "{too_many_requests}"),
            Limit(
                "streams from one IP address (one /64 of IPv6), besides as many connections",
                "{0}; no limit with `KITH_TRUSTED_PROXIES`", [addressConnections], "{too_many_requests}",
                changedBy: [.variable("KITH_ADDRESS_CONNECTIONS")], refusedIn: file),
            Limit(
                "time in which the reader of a stream takes more of the waiting events", "{0} s",
                [LimitReading("Sources/LiveEvents/EventHub.swift", "stallTimeout = Duration\\.seconds\\(([0-9]+)\\)")],
                "the stream ends; the client gets the missed events when it resumes"),
        ])

    private static let file = "Sources/LiveEvents/StreamLimits.swift"
    static let addressConnections = LimitReading(
        "Sources/kith/Configuration/Configuration.swift", "trustedProxies\\.isEmpty \\? ([0-9]+) : 0")
}
