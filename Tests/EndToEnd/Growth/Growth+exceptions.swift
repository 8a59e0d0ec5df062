extension Growth {
    /// The operations and loops whose work may grow, and why that is accepted.
    static let exceptions: [String: Exception] = [
        "listConnectionPings": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "It looks up each of 32 dates by itself, and the index of a month's pings has one more level."),
        // Loops of the worker
        "expire_rows, nothing to do": Exception(
            statistics: [.none, .empty], times: 2,
            reason: """
                Once a day it looks up the partitions in the system catalog, whose statistics are gone too. It reads as many \
                pages with as many partitions, whatever the people are.
                """),
        "remind_senders": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "It writes an entry to each of four indexes of a month's pings, which have one more level."),
        "sample_disk": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 6,
            reason: "It reads a sample of the pages of each table, once a day."),
        "tell_alarms": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 3,
            reason: """
                An alarm that is repeated costs twice as much as one that was opened just now. The former come first and fill \
                nearly all measured batches.
                """),
    ]
}
