import Foundation

/// The calls of the screens, in their own words. Each name is of one function, so that a test finds the calls of each
/// screen in the sources.
struct ScreenCalls: Sendable {
    let kith: Kith

    init(_ kith: Kith) {
        self.kith = kith
    }

    private var api: KithAPI { kith.api }

    /// The time of everything that a screen says.
    var now: Date { kith.now }

    // MARK: - Sign-in

    func sendCode(to contact: KithContact) async throws { try await kith.sendCode(to: contact) }

    func signIn(code: String, sentTo contact: KithContact) async throws {
        _ = try await kith.signIn(code: code, sentTo: contact)
    }

    // MARK: - Senders and receivers

    func home() async throws -> Kith.Home {
        let changes = kith.ownCall.changes
        let home = try await api.getHome()
        kith.ownCall.learn(home.alarms.contains { $0.role == .sender && $0.kind == .help }, since: changes)
        return home
    }

    func setSenderProfile(_ request: Kith.SetSenderProfileRequest) async throws -> Kith.SenderProfile {
        try await api.setSenderProfile(request)
    }

    func connect(_ code: String) async throws -> Kith.Connection { try await api.createConnection(.init(code: code)) }
    func pause(_ id: UUID) async throws -> Kith.Connection { try await api.pauseConnection(id: id) }
    func resume(_ id: UUID) async throws -> Kith.Connection { try await api.resumeConnection(id: id) }
    func remove(_ id: UUID) async throws { try await api.deleteConnection(id: id) }

    func connection(_ id: UUID) async throws -> Kith.Connection { try await api.getConnection(id: id) }

    /// All connections of a dashboard.
    func dashboard(_ role: Kith.Role) async throws -> [Kith.Connection] {
        var connections: [Kith.Connection] = []
        var cursor: Kith.Cursor?
        repeat {
            let page = try await api.getDashboard(role: role, limit: 200, cursor: cursor)
            connections += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return connections
    }

    /// Whether nobody is signed in; false in a preview.
    var isSignedOut: Bool { kith.http != nil && kith.session == nil }

    /// The check-ins that this device has kept.
    var kept: [KithCheckIn] { kith.keptCheckIns }

    /// Forgets a refused check-in. If the storage does not let it, it is shown once more at the next launch.
    func forget(_ checkIn: KithCheckIn) { try? kith.checkIns?.forget(checkIn.id) }

    func checkIn(note: String?, shareNote: Bool?, _ location: Kith.Place?) async throws -> KithCheckIn {
        try await kith.checkIn(note: note, shareNote: shareNote, location: location)
    }

    func inviteReceivers(_ people: [PickedContact]) async throws -> Kith.ConnectionInvitation {
        try await api.createConnectionInvitation(
            .init(recipients: people.map { .init(name: .init($0.name), phone: .init($0.phone)) }))
    }

    func reportGroup(_ outcome: Kith.InvitationOutcome, of id: UUID) async throws -> Kith.ConnectionInvitation {
        try await api.reportGroupInvitationOutcome(connectionInvitationID: id, .init(outcome: outcome))
    }

    // MARK: - Notifications

    func notifications(after cursor: Kith.Cursor?) async throws -> Kith.NotificationPage {
        try await api.listNotifications(cursor: cursor)
    }

    func markRead(_ id: UUID) async throws { try await api.markNotificationRead(notificationID: id) }
    func markAllRead() async throws { try await api.markAllNotificationsRead() }

    // MARK: - Nominees

    /// With the history, which the page of nominees shows to the owner.
    func nominees(of vault: UUID) async throws -> Kith.NomineePage {
        try await api.listNominees(vaultID: vault, include: [.history])
    }

    func resend(_ nominee: UUID, in vault: UUID) async throws -> Kith.TokenInvitation {
        try await api.resendNomineeInvitation(vaultID: vault, nomineeID: nominee).invitation
    }

    func confirm(_ nominee: UUID, in vault: UUID) async throws -> Kith.Nominee {
        try await api.confirmNominee(vaultID: vault, nomineeID: nominee)
    }

    func setStatus(_ status: Kith.NomineeStatusChange, of nominee: UUID, in vault: UUID) async throws -> Kith.Nominee {
        try await api.updateNominee(vaultID: vault, nomineeID: nominee, .init(status: status))
    }

    func revoke(_ nominee: UUID, in vault: UUID) async throws {
        try await api.revokeNominee(vaultID: vault, nomineeID: nominee)
    }

    func invite(
        name: String, phone: String?, email: String?, _ level: Kith.AccessLevel, _ channel: Kith.InvitationChannel?,
        to vault: UUID
    ) async throws -> Kith.InvitedNominee {
        let answer = try await api.inviteNominees(
            vaultID: vault,
            .init(nominees: [
                .init(name: name, phone: .init(phone), email: .init(email), accessLevel: level, channel: channel)
            ]))
        guard let result = answer.items.first, let nominee = result.nominee else {
            let problem = answer.items.first?.problem
            throw KithProblem(
                code: .init(rawValue: problem?.code.rawValue ?? "internal"), status: problem?.status,
                detail: problem?.detail ?? "", retryable: problem?.retryable ?? false, retryAfter: nil,
                requestID: problem?.requestID,
                errors: (problem?.errors ?? []).map { .init(field: $0.field, message: $0.message) })
        }
        return nominee
    }

    func reportNominee(
        _ outcome: Kith.InvitationOutcome, of nominee: UUID, in vault: UUID
    ) async throws -> Kith.Nominee {
        try await api.reportNomineeInvitationOutcome(vaultID: vault, nomineeID: nominee, .init(outcome: outcome))
    }

    func setDraft(_ vault: UUID) async throws { _ = try await api.setInvitationDraft(.init(vaultID: vault)) }
    func takeDraft() async throws -> Kith.TakenDraft { try await api.takeInvitationDraft() }

    // MARK: - Invitations

    func preview(_ token: UUID) async throws -> Kith.InvitationPreview {
        try await api.previewInvitation(token: token)
    }

    func accept(_ token: UUID) async throws -> Kith.AcceptedInvitation { try await api.acceptInvitation(token: token) }

    func decline(_ token: UUID) async throws -> Kith.InvitationPreview {
        try await api.declineInvitation(token: token)
    }

    // MARK: - Vaults

    func vault(_ id: UUID) async throws -> Kith.Vault { try await api.getVault(id: id) }
    func open(_ id: UUID) async throws -> Kith.VaultSession { try await kith.vaults[id].open() }
    func lock(_ id: UUID) async throws -> Kith.VaultSession { try await kith.vaults[id].lock() }

    func transfer(
        _ vault: UUID, to name: String, phone: String?, email: String?, keepsAccess: Bool
    ) async throws -> Kith.OfferedTransfer {
        try await api.createTransfer(
            vaultID: vault,
            .init(name: name, phone: .init(phone), email: .init(email), keepAccess: keepsAccess))
    }

    func cancelTransfer(of vault: UUID) async throws { try await api.cancelTransfer(vaultID: vault) }

    // MARK: - Chat

    func messages(with nominee: UUID, in vault: UUID, after cursor: Kith.Cursor?) async throws -> Kith.MessagePage {
        try await api.listMessages(vaultID: vault, nomineeID: nominee, cursor: cursor)
    }

    func send(_ text: String, to nominee: UUID, in vault: UUID) async throws -> Kith.Message {
        try await api.sendMessage(vaultID: vault, nomineeID: nominee, .init(body: text))
    }

    func markMessagesRead(with nominee: UUID, in vault: UUID) async throws {
        try await api.markMessagesRead(vaultID: vault, nomineeID: nominee)
    }

    // MARK: - Shares

    func shares() async throws -> [Kith.Share] {
        var shares: [Kith.Share] = []
        var cursor: Kith.Cursor?
        repeat {
            let page = try await api.listShares(limit: 200, cursor: cursor)
            shares += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return shares
    }

    func setPermission(_ permission: Kith.SharePermission, of id: UUID) async throws -> Kith.Share {
        try await api.updateShare(id: id, .init(permission: permission))
    }

    func endShare(_ id: UUID) async throws { try await api.deleteShare(id: id) }

    // MARK: - Emergency access

    func emergencies() async throws -> Kith.OwnEmergencies { try await api.getOwnEmergencies() }

    func askForAccess(to vault: UUID, _ reason: String?) async throws -> Kith.EmergencyRequest {
        try await api.requestEmergencyAccess(vaultID: vault, .init(reason: .init(reason)))
    }

    func approve(_ request: Kith.EmergencyRequest) async throws {
        _ = try await api.approveEmergencyRequest(vaultID: request.vaultID, requestID: request.id)
    }

    func reject(_ request: Kith.EmergencyRequest) async throws {
        _ = try await api.rejectEmergencyRequest(vaultID: request.vaultID, requestID: request.id)
    }

    func withdraw(_ request: Kith.EmergencyRequest) async throws {
        _ = try await api.withdrawEmergencyRequest(vaultID: request.vaultID, requestID: request.id)
    }

    func enter(_ vault: UUID) async throws -> Kith.VaultSession { try await api.enterVaultInEmergency(vaultID: vault) }

    func setEmergency(
        _ settings: Kith.NewEmergencySettings, of nominee: UUID, in vault: UUID
    ) async throws {
        _ = try await api.setEmergencySettings(vaultID: vault, nomineeID: nominee, settings)
    }

    func endEmergency(of nominee: UUID, in vault: UUID) async throws {
        try await api.removeEmergencySettings(vaultID: vault, nomineeID: nominee)
    }

    // MARK: - Alarms

    func alarm(_ id: UUID) async throws -> Kith.Alarm { try await api.getAlarm(id: id) }
    func take(_ id: UUID) async throws -> Kith.Alarm { try await api.takeAlarm(id: id) }
    func release(_ id: UUID) async throws -> Kith.Alarm { try await api.releaseAlarm(id: id) }

    func resolve(
        _ alarm: Kith.Alarm, _ outcome: Kith.StatedOutcome, _ note: String?
    ) async throws -> Kith.Alarm {
        try await api.resolveAlarm(
            id: alarm.id, .init(outcome: outcome, note: .init(note), seenAt: .init(alarm.timeline.last?.at)))
    }

    func reopen(_ id: UUID, _ note: String?) async throws -> Kith.Alarm {
        try await api.reopenAlarm(id: id, .init(note: .init(note)))
    }

    func note(_ id: UUID, _ words: String) async throws -> Kith.Alarm {
        try await api.noteAlarm(id: id, .init(body: words))
    }

    func careCard(of alarm: UUID) async throws -> Kith.CareCard { try await api.getAlarmCareCard(alarmID: alarm) }

    func callForHelp(
        note: String?, _ location: Kith.Place?, within limit: Duration
    ) async throws -> Kith.CalledAlarm {
        try await kith.callForHelp(.init(note: .init(note), location: .init(location)), within: limit)
    }

    /// Whether "I'm safe" may end the person's own call for help.
    var endsOwnCall: Bool { kith.ownCall.isOpen }

    func alarmPlan() async throws -> Kith.AlarmPlan { try await api.getAlarmPlan() }
    func setAlarmPlan(_ plan: Kith.NewAlarmPlan) async throws -> Kith.AlarmPlan { try await api.setAlarmPlan(plan) }
    func rehearseAlarms() async throws -> [Kith.AlarmStep] { try await api.rehearseAlarmPlan().steps }
    func drill() async throws -> Kith.Alarm { try await api.drillAlarm() }
    func ownCareCard() async throws -> Kith.OwnCareCard { try await api.getCareCard() }

    func setCareCard(_ sections: [Kith.CareSection]) async throws -> Kith.OwnCareCard {
        try await api.setCareCard(.init(sections: sections))
    }

    func deleteCareCard() async throws { try await api.deleteCareCard() }

    // MARK: - Things

    func things() async throws -> [Kith.Sign] { try await api.listSigns().items }
    func makeThing(_ thing: Kith.CreateSignRequest) async throws -> Kith.NewSign { try await api.createSign(thing) }
    func endThing(_ id: UUID) async throws { try await api.deleteSign(id: id) }

    // MARK: - Feedback

    func giveFeedback(_ topic: Kith.FeedbackTopic, _ rating: Int, _ text: String?) async throws {
        try await api.giveFeedback(.init(topic: topic, rating: rating, text: .init(text)))
    }
}
