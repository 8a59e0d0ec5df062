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
        "find_gaps": Exception(
            statistics: [.none, .empty], times: 3,
            reason: "Of 3 pages for each connection, a part is the work of the batch as a whole."),
        "alarm_operator": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2, reason: oneMoreLevel),
        "plan_deliveries": Exception(
            statistics: [.none, .empty], times: 30,
            reason: "Until the worker analyzes the pings, it looks up the ping of a notification by its date alone."),
        "remind_senders": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2, reason: oneMoreLevel),
        "sample_disk": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 6,
            reason: "It reads a sample of the pages of each table, once a day."),
        "tell_alarms": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "Alarms and questions are different work, and the large crowd has more alarms than a batch."),
    ]

    private static let oneMoreLevel =
        "One statement looks up several rows for each item of a batch, in indexes that have one more level."
}
