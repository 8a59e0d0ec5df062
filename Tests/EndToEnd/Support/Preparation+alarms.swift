import Foundation
import KithClient

extension Preparation {
    /// The steps for alarms. Each has people of its own, because an alarm, a question and a drill are one at a time.
    static let alarms: [String: Step] = [
        "listAlarms": { call, stage in _ = try await alarm(&call, stage) },
        "getAlarm": { call, stage in _ = try await alarm(&call, stage) },
        "callForHelp": { call, stage in call.credential = try await pair(stage).alice.token },
        "takeAlarm": { call, stage in call.credential = try await alarm(&call, stage).bob.token },
        "releaseAlarm": { call, stage in
            let pair = try await alarm(&call, stage)
            _ = try await pair.bob.send("POST", "/v1/alarms/\(call.path["id"] ?? "")/take", "{}")
            call.credential = pair.bob.token
        },
        "resolveAlarm": { call, stage in call.credential = try await alarm(&call, stage).bob.token },
        "reopenAlarm": { call, stage in
            let pair = try await alarm(&call, stage)
            _ = try await pair.bob.send(
                "POST", "/v1/alarms/\(call.path["id"] ?? "")/resolve", #"{"outcome":"safe"}"#)
            call.credential = pair.bob.token
        },
        "noteAlarm": { call, stage in _ = try await alarm(&call, stage) },
        "getAlarmCareCard": { call, stage in call.credential = try await alarm(&call, stage).bob.token },
        "getConnectionCareCard": { call, stage in
            let pair = try await pair(stage)
            _ = try await pair.alice.send(
                "PATCH", "/v1/connections/\(pair.connection.text)", #"{"always_care_card":true}"#)
            call.path["id"] = pair.connection.text
            call.credential = pair.bob.token
        },
        "getCareCard": nothing,
        "setCareCard": nothing,
        "deleteCareCard": { call, stage in
            let alice = try await pair(stage).alice
            _ = try await alice.send("PUT", "/v1/me/care-card", #"{"sections":[]}"#)
            call.credential = alice.token
        },
        "askSender": { call, stage in
            let pair = try await pair(stage)
            call.path["id"] = pair.connection.text
            call.credential = pair.bob.token
        },
        "getAlarmPlan": nothing,
        "setAlarmPlan": nothing,
        "rehearseAlarmPlan": nothing,
        "drillAlarm": { call, stage in call.credential = try await pair(stage).alice.token },
        "listTenantAlarms": nothing,
        "getTenantAlarm": { call, stage in try await deskAlarm(&call, stage) },
        "takeTenantAlarm": { call, stage in try await deskAlarm(&call, stage) },
        "resolveTenantAlarm": { call, stage in try await deskAlarm(&call, stage) },
        "reopenTenantAlarm": { call, stage in
            try await deskAlarm(&call, stage)
            let key = stage.house.installation.acme.secretKey
            _ = try await stage.house.client.send(
                "POST", "/v1/tenant/alarms/\(call.path["id"] ?? "")/take", #"{"by":"Dana"}"#, as: key)
        },
        "noteTenantAlarm": { call, stage in try await deskAlarm(&call, stage) },
    ]

    private static func pair(_ stage: DocumentedStage) async throws -> Pair {
        try await Pair(stage.house.installation.acme, stage.house.client)
    }

    /// Lets a new Alice call for help. The call is hers, of her alarm.
    private static func alarm(_ call: inout DocumentedCall, _ stage: DocumentedStage) async throws -> Pair {
        let pair = try await pair(stage)
        call.credential = pair.alice.token
        call.path["id"] = try await helpID(pair)
        return pair
    }

    /// Lets a new Alice call for help. The call is the desk's, of her alarm.
    private static func deskAlarm(_ call: inout DocumentedCall, _ stage: DocumentedStage) async throws {
        call.path["id"] = try await helpID(pair(stage))
    }

    private static func helpID(_ pair: Pair) async throws -> String? {
        try await pair.alice.send("POST", "/v1/alarms", "{}").decode([String: JSON].self)["id"]?.string
    }
}
