import Foundation

@testable import KithClient

/// A screen, and what a person reads on it.
@MainActor struct ScreenReading {
    let screen: any KithScreen
    let load: () async -> Void
    let texts: () -> [String?]

    var name: String { "\(type(of: screen))" }

    /// What the person reads now, and what VoiceOver has said.
    var words: [String] {
        let state = [screen.state.announcement, screen.state.problem?.text, screen.outdated]
        return (texts() + state).map { "\(name): \($0 ?? "nothing")" }
    }

    init<Screen: KithScreen>(
        _ screen: Screen, load: @escaping (Screen) async -> Void = { _ in },
        texts: @escaping (Screen) -> [String?]
    ) {
        self.screen = screen
        self.load = {
            if let live = screen as? any LiveScreen { await live.follow() }
            await load(screen)
        }
        self.texts = { texts(screen) }
    }

    /// Every screen of the library, not yet loaded, with English words.
    static func all(_ kith: Kith, _ values: MadeUpValues) throws -> [ScreenReading] {
        let vault: Kith.Vault = try values.make(Kith.Vault.self)
        let name = Kith.VaultName(id: vault.id, name: "Papers")
        let (person, id) = (PickedContact(name: "Bob", phone: "+4915112345678"), vault.id)
        let nominee = try values.make(Kith.Nominee.self)
        let words = KithTexts.english
        return [
            ScreenReading(AlarmPlanScreen(kith, texts: words), load: { await $0.load() }) { screen in
                (screen.rehearsal ?? []).map { "\($0.kind) \(values.distance($0.at) ?? "")" } + [screen.complaint]
            },
            ScreenReading(AlarmScreen(kith, id, texts: words)) { screen in
                screen.actions.map(\.label) + [screen.alarm?.state.sentence, screen.alarm?.state.badge.name]
            },
            ScreenReading(AlarmsScreen(kith, texts: words)) { screen in
                screen.alarms.map(\.state.sentence) + [screen.banner?.state.text, screen.placeholder]
            },
            ScreenReading(CareCardScreen(kith, texts: words), load: { await $0.load() }) { [$0.complaint] },
            ScreenReading(
                ChatScreen(kith, name, nominee: nominee.id, with: "Bob", texts: words), load: { await $0.markRead() }
            ) { screen in
                screen.messages.flatMap { [screen.author(of: $0), screen.remark(on: $0), values.distance($0.readAt)] }
                    + [screen.title, screen.badgeLabel, screen.placeholder]
            },
            ScreenReading(CheckInScreen(kith, texts: words), load: { await $0.checkIn() }) { screen in
                [screen.sentence, screen.button, screen.progress.sentence(words), screen.asking?.dialog?.title]
            },
            ScreenReading(ConnectScreen(kith, as: .sender, texts: words)) { [$0.title, $0.button, $0.entryLabel] },
            ScreenReading(ConnectionActionsScreen(kith, try values.make(Kith.Connection.self), texts: words)) {
                $0.actions.flatMap { [$0.label, $0.dialog?.message] }
            },
            ScreenReading(DashboardScreen(kith, as: .sender, texts: words)) { screen in
                screen.rows.connections.flatMap { row in
                    let state = screen.state(of: row)
                    return [state.sentence, state.badge.name, row.todayPing?.badge(words).name]
                } + [screen.title, screen.placeholder]
            },
            ScreenReading(EmergencyScreen(kith, texts: words)) { screen in
                let requests =
                    (screen.emergencies?.asOwner.requests ?? []) + (screen.emergencies?.asNominee.requests ?? [])
                return requests.flatMap { request in
                    [screen.sentence(of: request), request.status.badge(words).name]
                        + screen.actions(of: request).map(\.label)
                }
            },
            ScreenReading(EmergencySettingsScreen(kith, nominee, in: name, texts: words)) { [$0.title, $0.complaint] },
            ScreenReading(FeedbackScreen(kith, about: .init(rawValue: "app"), texts: words)) { [$0.ratingLabel] },
            ScreenReading(
                HelpScreen(kith, texts: words),
                load: {
                    $0.ask(); await $0.confirm()
                }
            ) { [$0.result] },
            ScreenReading(InvitationScreen(kith, token: id, texts: words), load: { await $0.load() }) {
                [$0.sentence, $0.remark]
            },
            ScreenReading(InviteNomineeScreen(kith, texts: words), load: { await $0.takeDraft() }) {
                [$0.button, $0.vault?.name]
            },
            ScreenReading(
                InviteReceiversScreen(kith, texts: words),
                load: {
                    $0.pick([person]); await $0.invite()
                }
            ) { [$0.message, $0.remark] },
            ScreenReading(NomineesScreen(kith, name, texts: words)) { screen in
                screen.nominees.flatMap { nominee in
                    [nominee.status.badge(words).name] + screen.actions(of: nominee).map(\.label)
                }
            },
            ScreenReading(
                NotificationsScreen(kith, texts: words),
                load: { screen in if let first = screen.notifications.first { await screen.open(first) } }
            ) { screen in screen.notifications.map { values.distance($0.readAt) } + [screen.badgeLabel] },
            ScreenReading(RemindersScreen(kith, texts: words), load: { await $0.load() }) { [$0.complaint] },
            ScreenReading(SenderProfileScreen(kith, texts: words), load: { await $0.load() }) {
                [$0.complaint, $0.pingTime.description]
            },
            ScreenReading(SharesScreen(kith, texts: words)) { screen in
                screen.shares.map { screen.participants(of: $0) } + [screen.placeholder]
            },
            ScreenReading(
                SignInScreen(kith, texts: words),
                load: {
                    $0.address = "bob@example.com"; await $0.sendCode()
                }
            ) { [$0.kept] },
            ScreenReading(ThingsScreen(kith, texts: words), load: { await $0.load() }) { screen in
                screen.things.map(\.name)
            },
            ScreenReading(TransferScreen(kith, name, texts: words)) { [$0.dialog?.title] },
            ScreenReading(VaultScreen(kith, vault, texts: words), load: { $0.tick() }) {
                [$0.status, $0.meaning, $0.timeLeft, $0.refusal, $0.mayLock ? "may lock" : "may not lock"]
            },
        ]
    }
}

extension MadeUpValues {
    /// How far an instant is from the server's time.
    fileprivate func distance(_ instant: Date?) -> String? {
        instant.map { "\(Int($0.timeIntervalSince(now).rounded())) s" }
    }
}
