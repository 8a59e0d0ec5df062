internal import Crypto
internal import Delivery
internal import JSON
internal import LiveEvents

/// The sets of values that members and parameters choose from. Each has a name, so that it is one type in a generated
/// client wherever it is used.
extension JSONComponent {
    static let role = enumeration("Role", ["sender", "receiver"])
    static let subscriptionStatus = enumeration(
        "SubscriptionStatus", ["trial", "active", "past_due", "canceled", "expired"])

    static let devicePlatform = enumeration("DevicePlatform", ["ios", "web"])
    static let deviceEnvironment = enumeration("DeviceEnvironment", ["sandbox", "production"])
    static let notificationChannel = enumeration("NotificationChannel", ["push", "email", "sms", "voice"])
    /// How a provider proves that a call to an inbound address is its own.
    static let inboundSignature = enumeration("InboundSignature", ["bearer", "hmac_sha256", "twilio"])
    static let deliveryStatus = enumeration("DeliveryStatus", ["queued", "sent", "failed", "dropped"])

    static let connectionStatus = enumeration("ConnectionStatus", ["pending", "active", "paused", "deleted"])
    /// The statuses of a connection that has not been removed.
    static let liveConnectionStatus = enumeration("LiveConnectionStatus", ["pending", "active", "paused"])
    /// The side whose consent a pending connection waits for.
    static let consentSide = enumeration("ConsentSide", ["me", "counterpart"])
    static let dashboardOrder = enumeration("DashboardOrder", ["missed", "connection"])
    static let pingStatus = enumeration(
        "PingStatus", ["scheduled", "due", "completed", "missed", "completed_late", "cancelled"])
    /// How a receiver is told of a missed ping.
    static let telling = enumeration("Telling", ["told", "being_told", "not_reached"])

    /// The status of an invited person.
    static let recipientStatus = enumeration(
        "RecipientStatus",
        ["pending", "queued", "sent", "cancelled", "failed", "unavailable", "invalid", "duplicate"])
    /// The outcomes that a message composer reports.
    static let invitationOutcome = enumeration("InvitationOutcome", ["sent", "cancelled", "failed", "unavailable"])
    /// The ways of sending an invitation.
    static let invitationChannel = enumeration(
        "InvitationChannel", ["messages", "mail", "share", "link", "airdrop", "other"])
    /// The state of an invitation by token.
    static let invitationState = enumeration(
        "InvitationState", ["pending", "accepted", "declined", "expired", "revoked"])
    static let invitationKind = enumeration("InvitationKind", ["nominee", "transfer"])

    static let vaultRole = enumeration("VaultRole", ["owner", "nominee"])
    /// The access levels of nominees, in ascending order.
    static let accessLevel = enumeration("AccessLevel", ["view", "edit", "full"])
    static let nomineeStatus = enumeration(
        "NomineeStatus", ["pending", "accepted", "active", "inactive", "revoked"])
    /// The statuses that an owner can give to a nominee: accepted resumes a paused access.
    static let nomineeStatusChange = enumeration("NomineeStatusChange", ["inactive", "accepted"])
    /// A part of a list of nominees that is returned only on request.
    static let nomineeListPart = enumeration("NomineeListPart", ["history"])
    /// The reason why a session ended.
    static let lockReason = enumeration(
        "LockReason", ["manual", "expired", "owner_revoked", "transferred", "vault_deleted", "emergency_ended"])
    /// The kinds of session: shared by everybody in the vault, or of one nominee by emergency access.
    static let sessionKind = enumeration("SessionKind", ["shared", "emergency"])

    /// The access levels that emergency access can give, in ascending order.
    static let emergencyAccessLevel = enumeration("EmergencyAccessLevel", ["view", "edit"])
    /// How a check-in came: in the app, in the web client, by a link, by answering a text message or a call, or with a
    /// thing.
    static let checkInSource = enumeration("CheckInSource", ["app", "web", "link", "sms", "voice", "sign"])
    /// The kinds of things: pressed by a person, or noticing that something moved.
    static let signKind = enumeration("SignKind", ["check_in", "activity"])
    /// What opened an alarm: a missed check-in, a call for help, a question without an answer, or a drill.
    static let alarmKind = enumeration("AlarmKind", ["missed", "help", "unanswered", "drill"])
    static let stateKind = enumeration(
        "StateKind",
        [
            "safe", "waiting", "missed", "break", "paused", "pending", "help", "late", "unreachable", "drill",
            "unknown",
        ])
    static let stateTone = enumeration("StateTone", ["calm", "waiting", "alarm", "unknown"])
    static let alarmStatus = enumeration("AlarmStatus", ["open", "taken", "resolved"])
    static let alarmOutcome = enumeration(
        "AlarmOutcome", ["checked_in", "safe", "help_called", "false_alarm", "expired"])
    /// The outcomes that people can state.
    static let statedOutcome = enumeration("StatedOutcome", ["safe", "help_called", "false_alarm"])
    /// The outcomes that a person of the desk can state.
    static let deskOutcome = enumeration("DeskOutcome", ["safe", "help_called"])
    /// The part that the reader of an alarm has in it.
    static let alarmRole = enumeration("AlarmRole", ["sender", "receiver", "desk"])
    static let alarmChange = enumeration(
        "AlarmChange", ["opened", "told", "taken", "released", "reopened", "resolved", "noted"])
    static let alarmLineKind = enumeration(
        "AlarmLineKind",
        [
            "opened", "told", "being_told", "not_reached", "seen", "missed", "help", "asked", "desk_told", "repeated",
            "taken", "still_on_it",
            "released", "declined", "lapsed", "left", "resolved", "reopened", "noted", "card_viewed", "checked_in",
            "false_alarm",
            "expired",
        ])
    /// The kinds of steps of a plan's rehearsal.
    static let alarmStepKind = enumeration(
        "AlarmStepKind",
        [
            "ping_due", "ping_reminder", "ping_missed", "told", "desk_told", "repeated", "emergency_wait",
            "emergency_grant",
        ])
    static let alarmChannel = enumeration("AlarmChannel", ["push", "email", "sms", "voice"])

    /// The acts that count as a sign of life: only a check-in, or any signed-in use.
    static let signOfLife = enumeration("SignOfLife", ["check_in", "any_use"])
    /// The causes of a request: a nominee asked, or the owner fell silent.
    static let emergencyCause = enumeration("EmergencyCause", ["request", "silence"])
    static let emergencyStatus = enumeration(
        "EmergencyStatus", ["gathering", "waiting", "granted", "ended", "rejected", "withdrawn"])
    /// The kinds of steps of a rehearsal.
    static let emergencyStepKind = enumeration(
        "EmergencyStepKind",
        [
            "ping_due", "ping_reminder", "ping_missed", "receiver_told", "wait_begins", "notice", "grant", "grant_ends",
            "right_sleeps",
        ])
    /// Why a wait became longer.
    static let emergencyDelayCause = enumeration(
        "EmergencyDelayCause", ["outage", "suspension", "undelivered", "hold"])

    /// The actions that the history of a vault records.
    static let vaultAction = enumeration(
        "VaultAction",
        [
            "vault.created", "vault.renamed", "vault.changed", "vault.opened", "vault.joined", "vault.locked",
            "vault.deleted", "vault.restored", "document.added", "document.read", "document.renamed",
            "document.replaced", "document.deleted", "document.restored", "nominee.invited", "nominee.resent",
            "nominee.bound", "nominee.accepted", "nominee.declined", "nominee.confirmed", "nominee.changed",
            "nominee.paused", "nominee.resumed", "nominee.revoked", "nominee.left", "share.created", "share.changed",
            "share.synchronised", "share.missing", "share.ended", "transfer.requested", "transfer.resent",
            "transfer.accepted", "transfer.declined", "transfer.cancelled", "emergency.given", "emergency.changed",
            "emergency.taken", "emergency.used_up", "emergency.quorum_set", "emergency.quorum_removed",
            "emergency.requested", "emergency.waiting", "emergency.stopped", "emergency.delayed", "emergency.held",
            "emergency.released", "emergency.approved", "emergency.entered", "emergency.rejected",
            "emergency.withdrawn", "emergency.ended",
        ])
    static let vaultEventSubjectType = enumeration(
        "VaultEventSubjectType", ["vault", "session", "document", "nominee", "transfer", "share", "emergency_request"])

    /// The permissions of a share.
    static let sharePermission = enumeration("SharePermission", ["readOnly", "readWrite"])
    static let participantPermission = enumeration(
        "ParticipantPermission", ["readOnly", "readWrite", "none", "unknown"])
    static let participantAcceptanceStatus = enumeration(
        "ParticipantAcceptanceStatus", ["accepted", "pending", "removed", "unknown"])
    static let participantRole = enumeration("ParticipantRole", ["privateUser", "publicUser", "unknown", "owner"])

    /// The topics of feedback.
    static let feedbackTopic = enumeration("FeedbackTopic", ["invitation", "share", "app"])

    /// The types of event that a webhook can select.
    static let eventType = enumeration("EventType", EventType.selectable.map(\.rawValue))
    static let webhookStatus = enumeration("WebhookStatus", ["enabled", "disabled"])
    /// The reason why a stream cannot resume.
    static let resetReason = enumeration("ResetReason", ["too_old", "unknown"])

    static let channelName = enumeration("ChannelName", ChannelSettings.channels)
    static let emailEncryption = enumeration("EmailEncryption", ["starttls", "tls"])
    /// The format of the request to a provider of text messages.
    static let smsBodyFormat = enumeration("SMSBodyFormat", ["form", "json"])

    static let signatureAlgorithm = enumeration(
        "SignatureAlgorithm", SignatureAlgorithm.allCases.map(\.rawValue))
    /// The algorithms of keys that can be added. Those with a shared secret cannot.
    static let publicKeyAlgorithm = enumeration("PublicKeyAlgorithm", ["ES256", "RS256", "EdDSA"])

    static let workerState = enumeration("WorkerState", ["on time", "late", "unknown"])

    static func enumeration(_ name: String, _ values: [String]) -> JSONComponent {
        JSONComponent(name: name, schema: .oneOf(values))
    }
}
