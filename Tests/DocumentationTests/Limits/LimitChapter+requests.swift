extension LimitChapter {
    static let requests = LimitChapter(
        name: "requests",
        limits: [
            Limit(
                """
                requests from one IP address (one /64 of IPv6); behind trusted proxies, the client's address. Check-ins, calls \
                for help, their answers and the pages of links have as many of their own, which other requests do not use up, \
                and so have first calls to an inbound address.
                """, "{0} a second, {1} at once", rate("addressLimit"), "{too_many_requests}",
                changedBy: [.variable("KITH_ADDRESS_LIMIT")], refusedIn: limiters),
            Limit(
                "requests from one IP address that ask for a one-time code or try one", "{0} a second, {1} at once",
                rate("signInLimit"), "{too_many_requests}", changedBy: [.variable("KITH_SIGN_IN_LIMIT")],
                refusedIn: limiters),
            Limit(
                "requests of one user; calls for help have as many of their own, which other requests do not use up",
                "{0} a second, {1} at once", rate("userLimit"), "{too_many_requests}",
                changedBy: [.variable("KITH_USER_LIMIT")], refusedIn: limiters),
            Limit(
                "requests of one user in progress at once, calls for help aside", "{0}; {1} more wait for up to {2} s",
                limiter("userRequests"), "{too_many_requests}", refusedIn: "Sources/Requests/ConcurrencyLimiter.swift"),
            Limit(
                "requests of one loop that wait for a database connection",
                "{0} for reads, {1} for writes and {2} for check-ins; half of them for one tenant",
                [
                    LimitReading(lanes, "var reads = [^)]*waitingLimit: ([0-9]+)"),
                    LimitReading(lanes, "var writes = [^)]*waitingLimit: ([0-9]+)"),
                    LimitReading(lanes, "var checkIns = [^)]*waitingLimit: ([0-9]+)"),
                ], "{unavailable}", refusedIn: "Sources/Problems/ProblemCode.swift"),
            Limit(
                "connections of one IP address besides streams", "{0}; no limit with `KITH_TRUSTED_PROXIES`",
                [addressConnections], "further ones are closed", changedBy: [.variable("KITH_ADDRESS_CONNECTIONS")]),
            Limit(
                "connections of one server besides streams, shared out among its loops", "{0}",
                [LimitReading(http, "maximumConnections = ([0-9_]+)\n")],
                "further ones wait until others are closed"),
            Limit(
                "items of one page of a list", "{0}; {1} without `limit`",
                [
                    LimitReading(
                        "Sources/API/Endpoints/Argument.swift", "\\.optionalLimit: \\.integer\\(1\\.\\.\\.([0-9]+)\\)"),
                    LimitReading(
                        "Sources/API/Endpoints/ArgumentReader.swift",
                        "case \\.limit: return limit\\(\\) \\?\\? \\.int\\(([0-9]+)\\)"),
                ], "{validation_failed}; `next_cursor` leads to the next page", refusedIn: refusals),
            Limit(
                "request body",
                """
                {0} KiB, or the largest size that the call's body can have, at most {1} MiB; the OpenAPI document names each \
                call's limit
                """,
                [
                    LimitReading(bodies, "usualBody = ([0-9_ <]+)\n", unit: 1024),
                    LimitReading(bodies, "largestBody = ([0-9_ <]+)\n", unit: 1 << 20),
                ], "{payload_too_large}; of a call for help the rest is left out, and the call goes on",
                refusedIn: "Sources/Problems/Problem+http.swift"),
            Limit(
                "nesting levels in JSON", "{0}",
                [LimitReading("Sources/JSON/JSONDocument.swift", "maximumDepth = ([0-9]+)\n")],
                "{invalid_request}", refusedIn: "Sources/Problems/ProblemCode.swift"),
            Limit(
                "values in JSON", "{0} more than the call's body can have",
                [LimitReading(bodies, "spareValues = ([0-9]+)\n")], "{invalid_request}",
                refusedIn: "Sources/Problems/ProblemCode.swift"),
            Limit(
                "request target", "{0} KiB", [LimitReading(http, "maximumURI = ([0-9_ <]+)\n", unit: 1024)],
                "{uri_too_long}",
                refusedIn: "Sources/Problems/Problem+http.swift"),
            Limit(
                "header fields of a request", "{0} KiB in all; {1} fields",
                [
                    LimitReading(http, "maximumHeader = ([0-9_ <]+)\n", unit: 1024),
                    LimitReading(http, "maximumFields = ([0-9]+)\n"),
                ], "{headers_too_large}", refusedIn: "Sources/Problems/Problem+http.swift"),
            Limit(
                "chunk extensions and trailers of a chunked body", "{0} KiB",
                [LimitReading("Sources/HTTP/BodyDecoder.swift", "maximumOverhead = ([0-9_ <]+)\n", unit: 1024)],
                "{invalid_request}", refusedIn: "Sources/Problems/ProblemCode.swift"),
            Limit(
                "query parameters or form fields that are read", "{0}",
                [LimitReading("Sources/HTTP/HTTPRequest.swift", "mostFields = ([0-9]+)\n")], "further ones are ignored"),
            Limit(
                "ranges in `Accept` that are read", "{0}",
                [LimitReading("Sources/API/Server/AcceptHeader.swift", "mostRanges = ([0-9]+)\n")],
                "further ones are ignored"),
            Limit(
                "addresses in `X-Forwarded-For` that are read, from the right", "{0}",
                [LimitReading("Sources/NetworkAddresses/TrustedProxies.swift", "mostHops = ([0-9]+)\n")],
                "further ones are ignored"),
            Limit(
                "time for a request to arrive", "{0} s",
                [LimitReading(http, "requestTimeout: Duration = \\.seconds\\(([0-9]+)\\)")],
                "the connection is closed"),
            Limit(
                "time for a document's content to arrive", "{0} KiB in every {1} s",
                [
                    LimitReading(http, "bodyProgress = ([0-9_ <]+)\n", unit: 1024),
                    LimitReading(http, "bodyTimeout: Duration = \\.seconds\\(([0-9]+)\\)"),
                ], "the connection is closed"),
            Limit(
                "time for an answer",
                "{0} s in the database; {1} s for each piece of an export, an import or a document",
                [
                    LimitReading(lanes, "var (?:reads|writes|checkIns) = [^)]*deadline: \\.seconds\\(([0-9]+)\\)"),
                    LimitReading(http, "handlerTimeout: Duration = \\.seconds\\(([0-9]+)\\)"),
                ], "{unavailable}; a streamed answer is cut off", refusedIn: "Sources/Problems/ProblemCode.swift"),
            Limit(
                "unsent bytes of an answer in the kernel", "{0} KiB for each connection",
                [LimitReading("Sources/HTTP/Listener.swift", "unsent: Int32 = ([0-9_ <]+)\n", unit: 1024)],
                "the server waits for the client"),
            Limit(
                "time for a client to take more of an answer", "{0} s",
                [LimitReading(http, "idleTimeout: Duration = \\.seconds\\(([0-9]+)\\)")], "the connection is closed"),
        ])

    private static let http = "Sources/HTTP/HTTPServerConfiguration.swift"
    private static let bodies = "Sources/API/Endpoints/Endpoint+bodyLimits.swift"
}
