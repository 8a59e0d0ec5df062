extension Growth {
    /// The operations and loops whose work may grow, and why that is accepted.
    static let exceptions: [String: Exception] = [
        "listConnectionPings": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "It looks up each of 32 dates by itself, and the index of a month's pings has one more level."),
        "listUsers": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "Beside few people, the 50 users of its page share pages of the table."),
        "checkIn": Exception(statistics: [.none, .empty], times: 200, reason: smallerIndex),
        "getCheckInPage": Exception(statistics: [.none, .empty], times: 400, reason: smallerIndex),
        "submitCheckInForm": Exception(statistics: [.none, .empty], times: 250, reason: smallerIndex),
        "exportMe": Exception(statistics: [.none, .empty], times: 5, reason: smallerIndex),
        "miss_pings": Exception(statistics: [.none, .empty], times: 10, reason: smallerIndex),
        // Loops of the worker
        "expire_rows, nothing to do": Exception(
            statistics: [.none, .empty], times: 2,
            reason: """
                Once a day it looks up the partitions in the system catalog, whose statistics are gone too. It reads as many \
                pages with as many partitions, whatever the people are.
                """),
        "finish_deliveries": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 4, reason: emptyDeliveries),
        "finish_deliveries, nothing to do": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 6, reason: emptyDeliveries),
        "plan_alarms": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: """
                An alarm that is planned again, for its reader's other channels, costs twice what a new one does, and which \
                ones wait at midnight depends on how many were planned before.
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

    private static let emptyDeliveries = """
        While PostgreSQL takes the table of deliveries for empty, as it was when the crowd was analyzed, it may read it from its \
        side instead of by the keys of the results. The worker has it analyzed within five seconds of its first rows.
        """

    private static let smallerIndex = """
        It looks up the pings of a date by their sender. While PostgreSQL knows nothing of a partition, it takes the primary \
        key for as good, and prefers it if it has one level less: then it reads the tenant's pings of that date. The worker has \
        a new partition analyzed within five seconds of its first rows (analyze_tables), which it does not do here.
        """
}
