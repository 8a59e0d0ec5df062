import Foundation
import JSON
import KithModel
import OpenAPI
import Testing

@testable import API

/// The types of the client library, held to the OpenAPI document member by member.
@Suite struct `The model types` {
    /// Each type, with the components that it stands for. A member that only some of them have is optional.
    private static let types: [(type: any (Decodable & Sendable).Type, components: [String])] = [
        (AccessToken.self, ["AccessToken"]),
        (Block.self, ["Block"]),
        (Break.self, ["Break"]),
        (Connection.self, ["Connection"]),
        (Dashboard.self, ["Dashboard"]),
        (ConnectionInvitation.self, ["ConnectionInvitation"]),
        (ConnectionInvitation.Summary.self, ["ConnectionInvitationSummary"]),
        (ConnectionInvitation.Recipient.self, ["InvitationRecipient"]),
        (Device.self, ["Device"]),
        (Document.self, ["Document"]),
        (ImportResult.self, ["ImportResult"]),
        (JWTKey.self, ["JWTKey"]),
        (Message.self, ["Message", "VaultMessage"]),
        (Conversation.self, ["Conversation"]),
        (Nominee.self, ["Nominee", "VaultNominee", "InvitedNominee"]),
        (Nominee.Invitations.Result.self, ["InviteeResult"]),
        (KithModel.Notification.self, ["Notification"]),
        (QuietHours.self, ["QuietHours"]),
        (NotificationPreferences.self, ["NotificationSettings"]),
        (NotificationPreferences.Preference.self, ["NotificationPreference"]),
        (Ping.self, ["Ping"]),
        (CheckIn.self, ["CheckIn"]),
        (Problem.self, ["Problem"]),
        (Problem.FieldError.self, ["FieldError"]),
        (SenderProfile.self, ["SenderProfile"]),
        (ReceiverProfile.self, ["ReceiverProfile"]),
        (Code.self, ["Code"]),
        (ProviderChannel.self, ["Channel"]),
        (WebPushKey.self, ["WebPushKey"]),
        (Share.self, ["Share"]),
        (Share.Synchronisation.self, ["ShareSynchronisation"]),
        (Share.Usage.self, ["ShareUsage"]),
        (SignIn.self, ["SignIn"]),
        (Transfer.self, ["Transfer", "OfferedTransfer"]),
        (User.self, ["User"]),
        (Vault.self, ["Vault"]),
        (Vault.Counts.self, ["VaultCounts"]),
        (Vault.Counts.Nominees.self, ["NomineeCounts"]),
        (Vault.PendingTransfer.self, ["PendingTransfer"]),
        (Feedback.self, ["Feedback"]),
        (EmergencySettings.self, ["EmergencySettings", "EmergencyTerms"]),
        (EmergencyQuorum.self, ["EmergencyQuorum"]),
        (EmergencyRequest.self, ["EmergencyRequest"]),
        (EmergencyRequest.Delay.self, ["EmergencyDelay"]),
        (NomineeName.self, ["NomineeName"]),
        (OwnEmergencies.self, ["OwnEmergencies"]),
        (OwnEmergencies.GivenRight.self, ["GivenEmergencyRight"]),
        (OwnEmergencies.ReceivedRight.self, ["ReceivedEmergencyRight"]),
        (EmergencyRehearsal.self, ["EmergencyRehearsal"]),
        (EmergencyRehearsal.Step.self, ["EmergencyStep"]),
        (PersonName.self, ["PersonName"]),
        (VaultSession.self, ["VaultSession"]),
        (VaultEvent.self, ["VaultEvent"]),
        (VaultEvent.Subject.self, ["VaultEventSubject"]),
        (TokenInvitation.self, ["TokenInvitation"]),
        (InvitationCard.self, ["InvitationCard"]),
        (InvitationPreview.self, ["InvitationPreview"]),
        (AcceptedInvitation.self, ["AcceptedInvitation"]),
        (OwnInvitation.self, ["OwnInvitation"]),
        (DeclinedInvitation.self, ["DeclinedInvitation"]),
        (InvitationDraft.self, ["InvitationDraft", "TakenDraft"]),
        (APIKey.self, ["APIKey", "NewAPIKey"]),
        (Home.self, ["Home"]),
        (Home.Sender.self, ["SenderHome"]),
        (Home.Receiver.self, ["ReceiverHome"]),
        (Home.Waiting.self, ["Waiting"]),
        (Webhook.self, ["Webhook", "NewWebhook"]),
    ]

    private static let components = Dictionary(
        OpenAPIDocument.kith.components.map { ($0.name, $0.schema) }, uniquingKeysWith: { first, _ in first })

    @Test(arguments: types.indices) func `have the members that the document says`(index: Int) throws {
        let (type, names) = Self.types[index]
        let schemas = try names.map { try #require(Self.components[$0], "the document has no \($0)") }
        guard case .object(let members) = try Shape.of(type) else {
            Issue.record("\(type) is not an object")
            return
        }
        let documented = schemas.map { schema in
            guard case .object(let properties) = schema else { return [String: JSONSchema.Property]() }
            return Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let all = documented.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
        #expect(members.keys.sorted() == all.sorted(), "\(type) and \(names.joined(separator: ", "))")
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let given = documented.compactMap { $0[name] }
            guard let property = given.first else { continue }
            let isOptional = given.count < documented.count || given.contains { !$0.required || $0.schema.isNullable }
            #expect(member.isOptional == isOptional, "\(type).\(name): is it optional?")
            if let objection = property.schema.objection(to: member.shape) {
                Issue.record("\(type).\(name): \(objection)")
            }
        }
    }
}

extension JSONSchema {
    fileprivate var isNullable: Bool {
        if case .nullable = self { true } else { false }
    }

    /// Why a value of this schema does not decode as `shape`; nil if it does.
    fileprivate func objection(to shape: Shape) -> String? {
        switch (self, shape) {
        case (_, .any), (.string, .string), (.oneOf, .string), (.integer, .number), (.boolean, .boolean),
            (.anyObject, .object):
            nil
        case (.nullable(let schema), _), (.item(let schema), _): schema.objection(to: shape)
        case (.component(let component), _): component.schema.objection(to: shape)
        case (.array(let element, _), .array(let inner)): element.objection(to: inner)
        case (.union(let shapes, _), .object): shapes.lazy.compactMap { $0.objection(to: shape) }.first
        // A dictionary decodes any members.
        case (.object, .object([:])): nil
        case (.object(let properties), .object(let members)):
            properties.lazy.compactMap { property in
                guard let member = members[property.name] else { return "lacks \(property.name)" }
                return property.schema.objection(to: member.shape).map { "\(property.name): \($0)" }
            }.first
        default: "is \(shape)"
        }
    }
}
