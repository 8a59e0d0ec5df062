internal import HTTP
internal import JSON
internal import LiveEvents
internal import Postgres
internal import Requests

/// Writes metrics in Prometheus' text format (exposition format 0.0.4).
enum MetricsText {
    static func write(
        version: String, _ server: ServerSample, isUp: Bool, ages: JSONDocument?, deliveries: JSONDocument?,
        emergencies: JSONDocument?, alarms: JSONDocument?, canaries: JSONDocument?, retention: JSONDocument?,
        setAside: JSONDocument?,
        cells: [(cell: String, isUp: Bool)]
    ) -> [UInt8] {
        let (counters, http, events) = (server.counters, server.http, server.events)
        var text = ""
        func metric(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
        }
        metric(
            "kith_build_info", "gauge", "Always 1. The label has the release and the commit of this server.",
            [("{version=\"\(version)\"}", "1")])
        metric("kith_http_requests_total", "counter", "Answered requests.", requests(counters))
        writeDurations(counters, into: &text)
        metric(
            "kith_http_connections", "gauge", "Open connections of clients.",
            [("", String(http.openConnections))])
        metric(
            "kith_http_requests_in_flight", "gauge", "Requests being answered.",
            [("", String(http.requestsInFlight))])
        metric(
            "kith_http_refusals_total", "counter", "Requests refused by the HTTP server itself.",
            [("", String(http.refusals))])
        metric(
            "kith_event_streams", "gauge", "Open streams of events.", [("", String(http.eventStreams))])
        metric(
            "kith_events_sent_total", "counter", "Events sent on streams.", [("", String(events.sent))])
        metric(
            "kith_event_lag_seconds", "gauge",
            "Seconds since the events' horizon last advanced, while streams are open.",
            [("", String(events.lag / .seconds(1)))])
        let lanes = zip(PostgresLane.allCases, server.lanes).map { (name: "{lane=\"\($0)\"}", status: $1) }
        metric(
            "kith_postgres_connections", "gauge", "Open connections to PostgreSQL.",
            lanes.map { ($0.name, String($0.status.connected)) })
        metric(
            "kith_postgres_in_flight", "gauge", "Statements sent and not yet answered.",
            lanes.map { ($0.name, String($0.status.inFlight)) })
        metric(
            "kith_postgres_waiting", "gauge", "Requests waiting for a connection.",
            lanes.map { ($0.name, String($0.status.waiting)) })
        if let standby = server.standby {
            metric(
                "kith_reads_total", "counter", "Reads of people's requests, by the server that answered them.",
                [("{host=\"standby\"}", String(standby.standby)), ("{host=\"primary\"}", String(standby.primary))])
            metric(
                "kith_standby_failures_total", "counter",
                "Reads that the primary answered because the standby was behind or did not answer.",
                [("", String(standby.failed))])
            metric(
                "kith_standby_in_rotation", "gauge", "Share of the server's loops whose standby answers reads now.",
                [("", String(Double(standby.inRotation) / Double(max(standby.pools, 1))))])
        }
        if !cells.isEmpty {
            metric(
                "kith_cell_up", "gauge", "Whether the cell's database can be used. Absent with one database.",
                cells.map { ("{cell=\"\($0.cell)\"}", $0.isUp ? "1" : "0") })
        }
        metric(
            "kith_database_up", "gauge", "Whether the database answers.", [("", isUp ? "1" : "0")])
        for (name, value) in ages?.root.members ?? [] {
            guard let number = value.integer else { continue }
            metric("kith_\(name)", "gauge", "See api.readiness in the database, and /readyz.", [("", String(number))])
        }
        let channels = deliveries?.root.elements ?? []
        metric(
            "kith_deliveries_total", "counter", "Settled messages, by outcome.",
            channels.flatMap { channel in
                ["sent", "failed", "dropped"].map { sample(of: channel, $0, ",outcome=\"\($0)\"") }
            })
        metric(
            "kith_delivery_attempts_total", "counter", "Attempts to send a message.",
            channels.map { sample(of: $0, "attempts") })
        metric(
            "kith_deliveries_waiting", "gauge", "Messages that are not settled, including those scheduled for later.",
            channels.map { sample(of: $0, "waiting") })
        metric(
            "kith_delivery_oldest_seconds", "gauge", "Seconds for which the oldest sendable message has waited.",
            channels.map { sample(of: $0, "oldest_seconds") })
        metric(
            "kith_set_aside", "gauge", "Rows that a loop of the worker has set aside, because it cannot process them.",
            (setAside?.root.elements ?? []).map {
                ("{loop=\"\($0["loop"]?.string ?? "")\"}", String($0["rows"]?.integer ?? 0))
            })
        writeEmergencies(emergencies) { name, help, value in metric(name, "gauge", help, [("", String(value))]) }
        writeAlarms(alarms) { name, help, value in metric(name, "gauge", help, [("", String(value))]) }
        writeCanaries(canaries?.root["channels"]?.elements ?? []) { metric($0, "gauge", $1, $2) }
        writeRetention(retention) { name, help, value in metric(name, "gauge", help, [("", String(value))]) }
        return Array(text.utf8)
    }

    /// Passes each number of requests for emergency access to `write`.
    private static func writeEmergencies(
        _ numbers: JSONDocument?, _ write: (_ name: String, _ help: String, _ value: Int) -> Void
    ) {
        let known = [
            ("waiting", "Waits for emergency access."), ("granted", "Grants of emergency access that last."),
            ("held", "Requests for emergency access that an operator holds."),
            ("undelivered", "Waits for emergency access that stand still because no notice reaches the owner."),
            ("early", "Emergency sessions before their grant or past its end. Must be 0."),
            ("oldest_notice_seconds", "Seconds since the oldest notice of emergency access should have been told."),
            ("oldest_recount_seconds", "Seconds for which the oldest miss waits to be counted as silence."),
        ]
        for (name, help) in known {
            guard let value = numbers?.root[name]?.integer else { continue }
            write("kith_emergency_\(name)", help, value)
        }
    }

    /// Passes each number of alarms to `write`.
    private static func writeAlarms(
        _ numbers: JSONDocument?, _ write: (_ name: String, _ help: String, _ value: Int) -> Void
    ) {
        let known = [
            ("open", "Alarms that nobody looks after."), ("taken", "Alarms that somebody looks after."),
            ("oldest_open_seconds", "Seconds for which the oldest alarm of the last day has been open and untaken."),
            ("oldest_notice_seconds", "Seconds since the worker should have told somebody of an alarm."),
        ]
        for (name, help) in known {
            guard let value = numbers?.root[name]?.integer else { continue }
            write("kith_alarms_\(name)", help, value)
        }
    }

    /// Passes the metrics of canaries to `write`: the only ones that have series by tenant, of which there are at most
    /// `internal.most_canaries`.
    private static func writeCanaries(
        _ channels: [JSONValue], _ write: (_ name: String, _ help: String, [(labels: String, value: String)]) -> Void
    ) {
        guard !channels.isEmpty else { return }
        func labels(_ channel: JSONValue, _ more: String = "") -> String {
            "{tenant=\"\(channel["tenant"]?.string ?? "")\",channel=\"\(channel["channel"]?.string ?? "")\"\(more)}"
        }
        write(
            "kith_canary_overdue_seconds",
            "Seconds for which a run of the tenant's canary should have arrived on the channel. 0 while all is well.",
            channels.map { (labels($0), String($0["overdue_seconds"]?.integer ?? 0)) })
        write(
            "kith_canary_interval_seconds", "Seconds between two runs of the canary.",
            channels.map { (labels($0), String($0["every_seconds"]?.integer ?? 0)) })
        write(
            "kith_canary_arrived_timestamp_seconds", "When the newest run that arrived began. Absent before the first.",
            channels.compactMap { channel in
                channel["arrived_at"]?.integer.map { (labels(channel), String($0)) }
            })
        write(
            "kith_canary_leg_seconds",
            "How long each leg of the newest run that has ended took. A leg that did not come is absent.",
            channels.flatMap { channel in
                (channel["legs"]?.members ?? []).compactMap { name, value in
                    value.number.map { (labels(channel, ",leg=\"\(name)\""), String($0)) }
                }
            })
    }

    /// Passes each number of the deletion of what is old to `write`.
    private static func writeRetention(
        _ numbers: JSONDocument?, _ write: (_ name: String, _ help: String, _ value: Int) -> Void
    ) {
        let known = [
            (
                "oldest_pass_seconds",
                """
                Seconds since the worker last began to go through the old rows of the tenant and kind for which that \
                was longest ago.
                """
            ),
            ("unfinished_passes", "Tenants and kinds whose old rows the worker is deleting, or is going to."),
            ("deleted_rows", "Rows that the last or present pass of each tenant and kind has deleted."),
            ("waiting_partitions", "Partitions that are old enough to be dropped, and hold nothing that is owed."),
            ("waiting_rows", "Rows in these partitions, by PostgreSQL's statistics."),
        ]
        for (name, help) in known {
            guard let value = numbers?.root[name]?.integer else { continue }
            write("kith_retention_\(name)", help, value)
        }
    }

    /// The sample of a channel's member `name`.
    private static func sample(
        of channel: JSONValue, _ name: String, _ labels: String = ""
    ) -> (labels: String, value: String) {
        ("{channel=\"\(channel["channel"]?.string ?? "")\"\(labels)}", String(channel[name]?.integer ?? 0))
    }

    private static func requests(_ counters: RequestCounters) -> [(labels: String, value: String)] {
        counters.counts.enumerated().flatMap { index, row in
            let (method, path) =
                index < Endpoint.served.count
                ? (Endpoint.served[index].method.rawValue, Endpoint.served[index].path) : ("*", "*")
            return row.enumerated().filter { $0.element > 0 }.map { status, count in
                ("{method=\"\(method)\",path=\"\(path)\",status=\"\(status + 2)xx\"}", String(count))
            }
        }
    }

    private static func writeDurations(_ counters: RequestCounters, into text: inout String) {
        let name = "kith_http_request_seconds"
        text += "# HELP \(name) Time from a request's arrival to its answer.\n# TYPE \(name) histogram\n"
        var count = 0
        for (bound, bucket) in zip(RequestCounters.bounds, counters.durations) {
            count += bucket
            text += "\(name)_bucket{le=\"\(Double(bound) / 1_000_000)\"} \(count)\n"
        }
        count += counters.durations[RequestCounters.bounds.count]
        text += "\(name)_bucket{le=\"+Inf\"} \(count)\n"
        text += "\(name)_sum \(Double(counters.total) / 1_000_000)\n\(name)_count \(count)\n"
    }
}
