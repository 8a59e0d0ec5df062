import Foundation
import KithClient

extension Preparation {
    /// A share of Alice's.
    private static let share: Step = { call, stage in
        call.path["id"] = try await stage.do("setVaultShare")["id"]?.string
    }
    /// A vault of hers that has a share.
    private static let sharedVault: Step = { call, stage in
        call.path["id"] = try await stage.do("setVaultShare")["vault"]?["id"]?.string
    }
    /// A vault with a pending transfer.
    private static let offeredVault: Step = { call, stage in
        let vault = try await stage.alice.makeVault()
        let _: Kith.Transfer = try await stage.alice.get(
            "POST", "/v1/vaults/\(vault.id)/transfer", #"{"name":"Bob","keep_access":true}"#, status: 201)
        call.path["id"] = vault.id.text
    }
    /// A conversation of Alice with Bob.
    private static let conversation: Step = { call, stage in
        let vault = try await stage.alice.makeVault()
        call.path["id"] = vault.id.text
        call.path["n"] = try await stage.bob.becomeNominee(of: vault, by: stage.alice).id.text
    }

    /// The steps for shares, transfers, chat and feedback.
    static let sharing: [String: Step] = [
        "setVaultShare": vault,
        "getVaultShare": sharedVault,
        "deleteVaultShare": sharedVault,
        "syncShareParticipants": sharedVault,
        "listShares": { _, stage in _ = try await stage.do("setVaultShare") },
        "getShareUsage": nothing,
        "updateShare": share,
        "reportMissingShare": share,
        "deleteShare": share,
        "createTransfer": vault,
        "getTransfer": offeredVault,
        "resendTransfer": offeredVault,
        "reportTransferInvitationOutcome": offeredVault,
        "cancelTransfer": offeredVault,
        "listConversations": { _, stage in _ = try await stage.do("sendMessage") },
        "listMessages": conversation,
        "sendMessage": conversation,
        "markMessagesRead": conversation,
        "giveFeedback": nothing,
        "listFeedback": { _, stage in _ = try await stage.do("giveFeedback") },
    ]
}
