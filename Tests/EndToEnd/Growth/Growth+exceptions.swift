extension Growth {
    /// The operations and loops whose work may grow, and why that is accepted.
    static let exceptions: [String: Exception] = [
        "listConnectionPings": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 2,
            reason: "It looks up each of 32 dates by itself, and the index of a month's pings has one more level."),

        "acceptInvitation": beforeAnalyze(5),
        "acceptOwnInvitation": beforeAnalyze(5),
        "blockUser": beforeAnalyze(4),
        "callForHelp": beforeAnalyze(6),
        "createConnection": beforeAnalyze(3),
        "createReceiverProfile": beforeAnalyze(44),
        "declineInvitation": beforeAnalyze(7),
        "declineOwnInvitation": beforeAnalyze(6),
        "deleteBreak": beforeAnalyze(5),
        "deleteConnection": beforeAnalyze(4),
        "deleteMe": beforeAnalyze(4),
        "deleteReceiverProfile": beforeAnalyze(20),
        "deleteSenderProfile": beforeAnalyze(5),
        "deleteShare": beforeAnalyze(14),
        "drillAlarm": beforeAnalyze(7),
        "getAlarm": beforeAnalyze(6),
        "getCheckInPage": beforeAnalyze(12),
        "getConnection": beforeAnalyze(3),
        "getHome": beforeAnalyze(4),
        "getShareUsage": beforeAnalyze(6),
        "getVault": beforeAnalyze(3),
        "listAlarms": beforeAnalyze(5),
        "listConnections": beforeAnalyze(3),
        "listFeedback": beforeAnalyze(7),
        "listNotifications": beforeAnalyze(3),
        "listOwnInvitations": beforeAnalyze(7),
        "listTenantAlarms": beforeAnalyze(13),
        "listVaults": beforeAnalyze(4),
        "noteAlarm": beforeAnalyze(4),
        "noteTenantAlarm": beforeAnalyze(7),
        "pauseConnection": beforeAnalyze(3),
        "rehearseEmergency": beforeAnalyze(41),
        "releaseAlarm": beforeAnalyze(4),
        "reopenAlarm": beforeAnalyze(4),
        "reopenTenantAlarm": beforeAnalyze(6),
        "resolveAlarm": beforeAnalyze(4),
        "resolveTenantAlarm": beforeAnalyze(5),
        "resumeConnection": beforeAnalyze(3),
        "setBreak": beforeAnalyze(5),
        "setSenderProfile": beforeAnalyze(5),
        "submitCheckInForm": beforeAnalyze(3),
        "sweep": beforeAnalyze(3),
        "takeAlarm": beforeAnalyze(4),
        "takeTenantAlarm": beforeAnalyze(5),
        "updateMe": beforeAnalyze(4),
        "verifyContact": beforeAnalyze(3),
        // Loops of the worker
        "alarm_operator": beforeAnalyze(8),
        "announce_due_pings": beforeAnalyze(80),
        "begin_emergency_waits": beforeAnalyze(1000),
        "generate_daily_pings": beforeAnalyze(180),
        "miss_pings": beforeAnalyze(35),
        "remind_senders": beforeAnalyze(190),
        "tell_alarms": beforeAnalyze(5),
        "expire_rows, nothing to do": beforeAnalyze(3),
        "find_gaps": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 6,
            reason: "Of 2 pages for each connection, a part is the work of the batch as a whole."),
        "plan_alarms": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 3,
            reason: "The calls of the other test leave more alarms of several steps in the large crowd."),
        "plan_deliveries": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 30,
            reason: "The calls of the other test leave notifications of more kinds in the large crowd."),
        "sample_disk": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 6,
            reason: "It reads a sample of the pages of each table, once a day."),
        "sweep_alarms, nothing to do": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 100,
            reason: "A plan that does not begin with each tenant's retention reads all resolved alarms, once a minute."),
        "tell_emergencies": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 3,
            reason: "The calls of the other test leave more requests in the large crowd."),
        "tell_emergencies, nothing to do": Exception(
            statistics: Set(CrowdHouse.Statistics.allCases), times: 8,
            reason: "The calls of the other test leave more requests in the large crowd."),
    ]

    /// An operation that reads more, up to `times` as much, as long as the planner knows no table.
    private static func beforeAnalyze(_ times: Int) -> Exception {
        Exception(
            statistics: [.none, .empty], times: times,
            reason: """
                Until the worker analyzes a table that has grown, seconds later, a plan for `= any (ids)` or for a join \
                prefers the part of an index that belongs to the tenant to look-ups by the ids.
                """)
    }
}
