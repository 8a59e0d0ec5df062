import Foundation
import JSON
import OpenAPI
import Testing

@testable import API

/// Compares the values that columns can have, by their constraints in sql/schema.sql, with the enumerations of the API.
/// A value that only the API knows fails in the database, and one that only the database knows is an answer that no
/// client can read.
@Suite struct `A column of known values` {
    /// The values of a column, and the enumeration in which its clients read them.
    struct Column: Sendable {
        /// The name of the constraint.
        let constraint: String
        let enumeration: JSONComponent
        /// The values of the enumeration that are computed, or that a call ignores.
        let unstored: Set<String>

        init(_ constraint: String, _ enumeration: JSONComponent, unstored: Set<String> = []) {
            (self.constraint, self.enumeration, self.unstored) = (constraint, enumeration, unstored)
        }
    }

    static let columns: [Column] = [
        Column(
            "alarm_entries_kind_is_known", .alarmLineKind,
            unstored: ["opened", "told", "being_told", "not_reached", "seen"]),
        Column("alarm_entries_outcome_is_known", .deskOutcome),
        Column("alarms_kind_is_known", .alarmKind),
        Column("alarms_outcome_is_known", .alarmOutcome),
        Column("api_keys_scopes_are_known", .keyScope),
        Column("channel_credentials_channel_is_known", .channelName),
        Column("channel_pauses_channel_is_known", .channelName),
        Column("check_in_source_is_known", .checkInSource),
        Column("connection_invitation_recipients_status_is_known", .recipientStatus),
        Column("connections_resting_status_is_known", .liveConnectionStatus),
        Column("connections_status_is_known", .connectionStatus),
        Column("deliveries_channel_is_known", .channelName),
        Column("devices_environment_is_known", .deviceEnvironment),
        Column("devices_platform_is_known", .devicePlatform),
        Column("emergency_delays_cause_is_known", .emergencyDelayCause),
        Column("emergency_requests_cause_is_known", .emergencyCause),
        Column("emergency_requests_level_is_at_most_edit", .emergencyAccessLevel),
        Column("emergency_requests_sign_of_life_is_known", .signOfLife),
        Column("emergency_requests_sources_are_known", .checkInSource),
        Column("emergency_settings_level_is_at_most_edit", .emergencyAccessLevel),
        Column("emergency_settings_sign_of_life_is_known", .signOfLife),
        Column("emergency_settings_sources_are_known", .checkInSource),
        Column("feedback_topic_is_known", .feedbackTopic),
        Column("history_subject_type_is_known", .vaultEventSubjectType),
        Column("jwt_keys_algorithm_is_known", .signatureAlgorithm),
        Column("nominee_invitations_channel_is_known", .invitationChannel),
        Column("nominee_invitations_outcome_is_known", .invitationOutcome),
        Column("nominees_level_is_known", .accessLevel),
        Column("nominees_status_is_known", .nomineeStatus, unstored: ["active"]),
        Column("notification_preferences_channels_are_known", .notificationChannel),
        Column("notifications_delivery_status_is_known", .deliveryStatus),
        Column("pings_status_is_known", .pingStatus),
        Column("receiver_profiles_subscription_is_known", .subscriptionStatus),
        Column("share_participants_acceptance_is_known", .participantAcceptanceStatus),
        Column("share_participants_permission_is_known", .participantPermission),
        Column("share_participants_role_is_known", .participantRole, unstored: ["owner"]),
        Column("shares_permission_is_known", .sharePermission),
        Column("signs_kind_is_known", .signKind),
        Column("transfer_invitations_channel_is_known", .invitationChannel),
        Column("transfer_invitations_outcome_is_known", .invitationOutcome),
        Column("unique_codes_role_is_known", .role),
        Column("vault_sessions_kind_is_known", .sessionKind),
        Column("vault_sessions_lock_reason_is_known", .lockReason),
    ]

    /// The constraints of columns that no call answers or takes as they are.
    static let hidden: Set = [
        "canary_answers_channel_is_known", "canary_arrivals_channel_is_known", "canary_arrivals_outcome_is_known",
        "canary_channels_channel_is_known", "alarm_links_channel_is_known",
        "code_attempts_outcome_is_known", "deliveries_purpose_is_known", "deliveries_status_is_known",
        "document_versions_state_is_known", "emergency_requests_end_reason_is_known", "heartbeats_component_is_known",
        "inbound_counts_channel_is_known", "inbound_counts_outcome_is_known", "inbound_messages_channel_is_known",
        "moving_tenants_state_is_known",
        "nominee_invitations_end_reason_is_known", "otp_codes_purpose_is_known", "outages_component_is_known",
        "retention_cuts_kind_is_known", "retention_passes_kind_is_known", "tenants_status_is_known",
        "tenant_moves_step_is_known", "transfers_status_is_known",
    ]

    /// The values by the name of the constraint.
    private static func constraints() throws -> [String: Set<String>] {
        let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "sql/schema.sql")
        var found: [String: Set<String>] = [:]
        for line in try String(contentsOf: schema, encoding: .utf8).split(separator: "\n") {
            guard let known = line.firstMatch(of: /CONSTRAINT (\w+_(?:is_known|are_known|is_at_most_edit)) CHECK/)
            else { continue }
            found[String(known.output.1)] = Set(line.matches(of: /'(\w+)'::text/).map { String($0.output.1) })
        }
        return found
    }

    @Test(arguments: columns) func `has those of its enumeration`(column: Column) throws {
        let values = try #require(try Self.constraints()[column.constraint])
        #expect(
            values.union(column.unstored) == Set(column.enumeration.values),
            "\(column.constraint) and \(column.enumeration.name)")
        #expect(values.isDisjoint(with: column.unstored))
    }

    @Test func `is compared, or no call shows it`() throws {
        let constraints = Set(try Self.constraints().keys)
        let compared = Set(Self.columns.map(\.constraint))
        #expect(constraints == compared.union(Self.hidden))
        #expect(compared.isDisjoint(with: Self.hidden))
    }
}
