import Foundation
import KithClient

extension Preparation {
    /// The steps for emergency access.
    static let emergency: [String: Step] = [
        "getEmergencySettings": { call, stage in _ = try await give(&call, stage) },
        "setEmergencySettings": { call, stage in _ = try await give(&call, stage) },
        "removeEmergencySettings": { call, stage in _ = try await give(&call, stage) },
        "getEmergencyQuorum": { call, stage in
            let nominees = try await several(&call, stage)
            let _: Kith.EmergencyQuorum = try await stage.alice.get(
                "PUT", "/v1/vaults/\(call.path["id"] ?? "")/emergency/quorum",
                #"{"required":2,"nominees":["\#(nominees[0])","\#(nominees[1])"]}"#)
        },
        "setEmergencyQuorum": { call, stage in
            let nominees = try await several(&call, stage)
            call.body?["nominees"] = .array(nominees.map { .string($0) })
        },
        "removeEmergencyQuorum": { call, stage in
            let nominees = try await several(&call, stage)
            let _: Kith.EmergencyQuorum = try await stage.alice.get(
                "PUT", "/v1/vaults/\(call.path["id"] ?? "")/emergency/quorum",
                #"{"required":2,"nominees":["\#(nominees[0])","\#(nominees[1])"]}"#)
        },
        "requestEmergencyAccess": { call, stage in
            _ = try await give(&call, stage)
            call.credential = stage.bob.token
        },
        "listEmergencyRequests": { call, stage in _ = try await ask(&call, stage) },
        "getEmergencyRequest": { call, stage in _ = try await ask(&call, stage) },
        "approveEmergencyRequest": { call, stage in _ = try await ask(&call, stage) },
        "rejectEmergencyRequest": { call, stage in _ = try await ask(&call, stage) },
        "withdrawEmergencyRequest": { call, stage in
            _ = try await ask(&call, stage)
            call.credential = stage.bob.token
        },
        "enterVaultInEmergency": { call, stage in
            try await stage.alice.decide("approve", ask(&call, stage))
            call.credential = stage.bob.token
        },
        "getOwnEmergencies": { call, stage in
            var other = call
            _ = try await ask(&other, stage)
        },
        "rehearseEmergency": { call, stage in
            var other = call
            _ = try await give(&other, stage)
            call.query["from"] = Day.instant(86400)
            call.query["until"] = Day.instant(5 * 86400)
            call.query["limit"] = "20"
        },
    ]

    /// Has Alice give Bob emergency access to a new vault, and puts vault and nominee into the request's path; the
    /// vault.
    private static func give(_ call: inout DocumentedCall, _ stage: DocumentedStage) async throws -> Kith.Vault {
        let vault = try await stage.alice.makeVault()
        let nominee = try await stage.bob.becomeNominee(of: vault, by: stage.alice)
        try await stage.alice.giveEmergencyAccess(to: nominee, of: vault, #","visible":true,"after_missed_days":5"#)
        call.path["id"] = vault.id.text
        if call.path["n"] != nil { call.path["n"] = nominee.id.text }
        return vault
    }

    /// Has Bob ask for it, too, and puts the request into the path; the request.
    private static func ask(
        _ call: inout DocumentedCall, _ stage: DocumentedStage
    ) async throws -> Kith.EmergencyRequest {
        let request = try await stage.bob.askForEmergencyAccess(to: give(&call, stage))
        if call.path["r"] != nil { call.path["r"] = request.id.text }
        return request
    }

    /// Has Alice make a vault with two nominees, and puts it into the path; the nominees' ids.
    private static func several(_ call: inout DocumentedCall, _ stage: DocumentedStage) async throws -> [String] {
        let vault = try await stage.alice.makeVault()
        call.path["id"] = vault.id.text
        var ids: [String] = []
        for person in [stage.bob, stage.carol] {
            let nominee = try await person.becomeNominee(of: vault, by: stage.alice)
            try await stage.alice.giveEmergencyAccess(to: nominee, of: vault)
            ids.append(nominee.id.text)
        }
        return ids
    }
}
