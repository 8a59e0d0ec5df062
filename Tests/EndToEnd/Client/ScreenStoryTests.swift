import Foundation
import KithClient
import TestThreads
import Testing

/// The stories of the screens, told by the screens themselves against the real server.
@Suite(.mayBlock) @MainActor struct `The screens of an app` {
    /// Somebody with a client of their own.
    private struct Somebody {
        let person: Person
        let kith: Kith

        init(_ name: String) async throws {
            let (installation, _, client) = try shared.get()
            person = try await Person.join(installation.acme, as: name, client)
            kith = Kith(server: client.base, tenant: "acme", storage: newStorage())
            try await kith.signIn(token: person.token)
        }
    }

    @Test func `connect by a code, and pause, resume and remove`() async throws {
        let alice = try await Somebody("Alice")
        let bob = try await Somebody("Bob")
        let own = try await alice.person.becomeSender().code
        let code = try await bob.person.becomeReceiver().code

        let connect = ConnectScreen(alice.kith, as: .sender)
        connect.entry.text = code == "000000" ? "000001" : "000000"
        await connect.connect()
        #expect(connect.state.problem?.style == .inline)
        #expect(connect.state.problem?.text == "Invalid code. Please check and try again.")
        connect.entry.text = own
        await connect.connect()
        #expect(connect.state.problem?.style == .alert)
        #expect(connect.state.problem?.text == "You cannot connect to your own code.")
        connect.appear(clipboard: " \(code)\n")
        connect.entry.paste()
        await connect.connect()
        #expect(connect.success == "Connected to Bob")
        #expect(connect.state.haptic == .success)
        await connect.connect()
        #expect(connect.state.problem?.text == "You're already connected to this user.")

        let notifications = NotificationsScreen(bob.kith)
        await notifications.load()
        #expect(notifications.notifications.first?.title == "New Connection")
        #expect(notifications.notifications.first?.body == "Alice is now sending you pings")
        #expect(notifications.badgeLabel == "1 unread notification")
        await notifications.readAll()
        #expect(notifications.unreadCount == 0)

        let dashboard = DashboardScreen(alice.kith, as: .sender)
        await dashboard.load()
        let row = try #require(dashboard.rows.connections.first)
        #expect(row.todayPing != nil, "today's ping is there: its deadline is ahead")
        let sheet = ConnectionActionsScreen(alice.kith, row)
        await sheet.choose(.pause)
        await sheet.confirm()
        #expect(sheet.connection.status == .paused)
        dashboard.apply(sheet.connection)
        #expect(dashboard.state.announcement == "Bob: Paused")
        let again = ConnectionActionsScreen(alice.kith, sheet.connection)
        await again.choose(.resume)
        #expect(again.connection.status == .active)
        let others = ConnectionActionsScreen(bob.kith, try #require(await connection(of: bob)))
        await others.choose(.remove)
        #expect(others.asking?.dialog?.message.hasPrefix("This will remove Alice from your senders list.") == true)
        await others.confirm()
        #expect(others.isDone)
        await dashboard.load()
        #expect(dashboard.rows.connections.isEmpty)
        #expect(dashboard.placeholder == "Nobody receives your pings yet.")
        await connect.connect()
        #expect(connect.success == "Connected to Bob", "the same code connects again")
    }

    private func connection(of receiver: Somebody) async -> Kith.Connection? {
        let dashboard = DashboardScreen(receiver.kith, as: .receiver)
        await dashboard.load()
        return dashboard.rows.connections.first
    }

    @Test func `set the daily check-in, invite receivers and check in`() async throws {
        let alice = try await Somebody("Alice")
        let profile = SenderProfileScreen(alice.kith)
        await profile.load()
        #expect(profile.profile == nil)
        (profile.pingTime, profile.timeZone, profile.graceMinutes) = ("11:00", "UTC", 719)
        await profile.save()
        #expect(profile.state.announcement == "Your daily check-in is set.")
        let code = try #require(profile.profile?.code)

        let invite = InviteReceiversScreen(alice.kith)
        invite.pick([
            .init(name: "Bob", phone: "+49 1511 2345678"), .init(name: "Carol", phone: nil),
            .init(name: "Dora", phone: "112"),
        ])
        await invite.invite()
        #expect(
            invite.message
                == """
                Alice wants to send you daily pings on PRUUF to let you know they're safe. Download the app and \
                use code \(code) to connect: https://pruuf.app/join
                """
        )
        #expect(invite.numbers == ["+4915112345678"])
        #expect(invite.remark == "1 person could not be invited.")
        await invite.report(.sent)
        #expect(invite.state.announcement == "Invitation sent")

        let bob = try await Somebody("Bob")
        try await bob.person.becomeReceiver()
        let connect = ConnectScreen(bob.kith, as: .receiver)
        connect.open(code: code)
        await connect.connect()
        #expect(connect.success == "Connected to Alice")
        let checkIn = CheckInScreen(alice.kith)
        await checkIn.load()
        #expect(checkIn.day?.kind == .waiting, "\(checkIn.sentence)")
        // Not by the screen: this server's clock is ahead of its field `Date`, by which a client says when the person
        // tapped.
        #expect(try await alice.person.send("POST", "/v1/pings/check-in", "{}").status == 200)
        await checkIn.load()
        #expect(checkIn.day?.kind == .safe, "\(checkIn.sentence)")
        #expect(await connection(of: bob)?.state.text.hasPrefix("Safe: checked in ") == true)
    }

    @Test func `call for help, look after somebody, and end the alarm`() async throws {
        let alice = try await Somebody("Alice")
        let bob = try await Somebody("Bob")
        let carol = try await Somebody("Carol")
        try await alice.person.becomeSender()
        for receiver in [bob, carol] { _ = try await alice.person.connect(receiver.person.becomeReceiver().code) }

        let card = CareCardScreen(alice.kith)
        card.sections = [.init(title: "Keys", body: "Bob has the spare key.")]
        await card.save()
        #expect(card.state.announcement == "Your care card is saved.")
        let plan = AlarmPlanScreen(alice.kith)
        await plan.load()
        plan.receiversKnowEachOther = true
        await plan.save()
        #expect(plan.state.announcement == "Your plan is saved.")
        #expect(plan.rehearsal?.contains { $0.kind == .told && $0.person?.displayName == "Bob" } == true)

        let none = AlarmsScreen(bob.kith)
        await none.load()
        #expect(none.placeholder == "There is no alarm." && none.banner == nil)
        let help = HelpScreen(alice.kith)
        help.ask()
        help.location = .init(latitude: 52.5, longitude: 13.4, accuracyMeters: 20, at: Day.now)
        await help.confirm()
        #expect(help.result == "2 people are being told that you need help.")
        let id = try #require(help.alarm?.id)
        await none.load()
        #expect(none.banner?.state.text == "Alice needs help.")

        let screen = AlarmScreen(bob.kith, id)
        await screen.load()
        await screen.choose(.take)
        #expect(screen.state.announcement == "You are looking after Alice.")
        await screen.showCard()
        #expect(screen.card?.sections.first?.body == "Bob has the spare key.")
        #expect(screen.card?.location?.latitude == 52.5)
        screen.note = "I drive there."
        await screen.addNote()
        #expect(screen.alarm?.timeline.contains { $0.note == "I drive there." } == true)
        let other = AlarmScreen(carol.kith, id)
        await other.load()
        #expect(other.alarm?.state.detail?.hasSuffix(": Bob.") == true)
        #expect(!other.actions.map(\.id).contains(.take))
        await other.choose(.safe)
        await other.confirm()
        #expect(other.state.announcement == "The alarm is over. Everybody who was told hears of it now.")
        await screen.load()
        #expect(screen.alarm?.state.text == "The alarm about Alice is over." && screen.card == nil)
        await screen.choose(.reopen)
        #expect(screen.asking?.dialog?.title == "Open the alarm again?")
        await screen.confirm()
        #expect(screen.alarm?.status == .open)
        let own = AlarmScreen(alice.kith, id)
        await own.load()
        await own.choose(.falseAlarm)
        await own.confirm()
        #expect(own.alarm?.outcome == .falseAlarm)
        plan.holdDrill()
        await plan.confirm()
        #expect(plan.state.announcement == "The drill has begun.")
        plan.holdDrill()
        await plan.confirm()
        #expect(plan.state.problem?.code == .invalidTransition || plan.state.problem?.code == .tooManyRequests)
        card.delete()
        await card.confirm()
        #expect(card.sections.isEmpty && card.location == nil)
    }

    @Test func `set reminders, and make a thing`() async throws {
        let alice = try await Somebody("Alice")
        try await alice.person.becomeSender()
        let screen = RemindersScreen(alice.kith)
        await screen.load()
        screen.reminders = [.init(beforeMinutes: 15), .init(beforeMinutes: 15)]
        await screen.save()
        #expect(screen.state.problem?.style == .inline)
        screen.reminders = [.init(beforeMinutes: 60), .init(beforeMinutes: 15)]
        await screen.save()
        #expect(screen.state.announcement == "Your reminders are set.")
        #expect(screen.reminders.map(\.beforeMinutes) == [60, 15])

        let things = ThingsScreen(alice.kith)
        await things.make()
        #expect(things.state.problem?.text == "Give it a name.")
        (things.name, things.kind) = ("Button", .checkIn)
        await things.make()
        let made = try #require(things.made)
        #expect(made.url.contains("/s/") && things.things.map(\.name) == ["Button"])
        things.remove(try #require(things.things.first))
        #expect(things.dialog?.title == "Remove Button?")
        await things.confirm()
        #expect(things.things.isEmpty && things.made == nil)
    }

    @Test func `share a vault with a nominee`() async throws {
        let alice = try await Somebody("Alice")
        let bob = try await Somebody("Bob")
        let vault = try await alice.kith.api.createVault(.init(name: "Family papers"))
        let name = Kith.VaultName(id: vault.id, name: vault.name)
        let app = InviteNomineeScreen(alice.kith)
        await app.handOver(name)
        let form = InviteNomineeScreen(alice.kith)
        await form.takeDraft()
        #expect(form.vault == name && !form.isFallback)
        let second = InviteNomineeScreen(alice.kith)
        await second.takeDraft()
        #expect(second.isFallback, "a draft is read once")
        #expect(
            form.fields.map(\.fullLabel) == [
                "Recipient name (required)", "Phone number (optional)", "Email (optional)",
            ])
        await form.send()
        #expect(form.state.problem?.style == .inline)
        form.name = "Bob"
        form.accessLevel = .edit
        await form.send(by: .messages)
        let invitation = try #require(form.invitation)
        #expect(invitation.card.title == "🔐 Vault Invitation")
        await form.report(.sent)

        let page = NomineesScreen(alice.kith, name)
        await page.load()
        #expect(page.nominees.map { $0.status.badge().name } == ["Pending"])
        #expect(page.isOwner)
        let answer = InvitationScreen(bob.kith, token: invitation.token)
        await answer.load()
        #expect(answer.canAnswer)
        #expect(answer.sentence == "Alice invites you to Family papers.")
        await answer.accept()
        #expect(answer.card?.title == "✅ Vault Access Accepted")
        #expect(!answer.canAnswer)

        let theirs = try await bob.kith.api.getVault(id: vault.id)
        let waiting = VaultScreen(bob.kith, theirs)
        #expect(waiting.meaning == "This vault is locked. You can enter while its owner has it open.")
        let screen = VaultScreen(alice.kith, vault)
        await screen.open()
        #expect(screen.isOpen)
        #expect(screen.state.announcement == "Family papers is open")
        await page.load()
        #expect(page.nominees.map { $0.status.badge().name } == ["Active"])
        await waiting.load()
        #expect(waiting.mayOpen && waiting.mayEdit && !waiting.mayDelete && !waiting.mayLock)
        await screen.lock()
        #expect(!screen.isOpen)
        let nominee = try #require(page.nominees.first)

        let settings = EmergencySettingsScreen(alice.kith, nominee, in: name)
        settings.isVisible = true
        await settings.save()
        #expect(settings.isOn)
        let emergency = EmergencyScreen(bob.kith)
        await emergency.load()
        emergency.ask(by: try #require(emergency.emergencies?.asNominee.rights.first))
        #expect(emergency.requestDialog != nil)
        await emergency.confirm()
        #expect(emergency.emergencies?.asNominee.requests.count == 1)
        let owners = EmergencyScreen(alice.kith)
        await owners.load()
        let request = try #require(owners.emergencies?.asOwner.requests.first)
        #expect(
            owners.sentence(of: request).hasPrefix("Bob asks for emergency access to Family papers. They get in on "))
        await owners.choose(.reject, for: request)
        await owners.confirm()
        #expect(owners.state.announcement == "Bob gets no access to Family papers")

        await page.choose(.remove, for: nominee)
        await page.confirm()
        #expect(page.nominees.map { $0.status.badge().name } == ["Revoked"])
        let transfer = TransferScreen(alice.kith, name)
        transfer.name = "Carol"
        transfer.begin()
        await transfer.confirm()
        await transfer.confirm()
        #expect(transfer.offer?.invitation.url.isEmpty == false)
        await transfer.withdraw()
        #expect(transfer.offer == nil)
        let feedback = FeedbackScreen(alice.kith, about: .share)
        feedback.rating = 5
        await feedback.send()
        #expect(feedback.isSent)
    }

    @Test func `chat with a nominee`() async throws {
        let alice = try await Somebody("Alice")
        let bob = try await Somebody("Bob")
        let (name, nominee) = try await vault(of: alice, with: bob)
        let page = NomineesScreen(alice.kith, name)
        await page.load()
        await page.choose(.chat, for: try #require(page.nominees.first))
        #expect(page.chat == nominee)

        let hers = ChatScreen(alice.kith, name, nominee: nominee, with: "Bob")
        await hers.load()
        #expect(hers.title == "Chat with Bob" && hers.placeholder == "There is no message yet.")
        hers.draft = " \n"
        await hers.send()
        #expect(hers.state.problem?.text == "Write something first.")
        hers.draft = "The keys are with Carol. "
        await hers.send()
        #expect(hers.state.announcement == "Message sent" && hers.draft.isEmpty && hers.placeholder == nil)
        let first = try #require(hers.messages.first)
        #expect(hers.author(of: first) == "You" && hers.remark(on: first) == nil)

        let his = ChatScreen(bob.kith, name, nominee: nominee, with: "Alice")
        await his.load()
        #expect(his.badgeLabel == "1 unread message")
        #expect(his.messages.map(\.body) == ["The keys are with Carol."])
        let received = try #require(his.messages.first)
        #expect(his.author(of: received) == "Alice")
        his.draft = "Thank you."
        await his.send()
        #expect(his.messages.map(\.body) == ["Thank you.", "The keys are with Carol."])
        await his.markRead()
        #expect(his.unreadCount == 0 && his.state.problem == nil)
        await hers.load()
        #expect(hers.unreadCount == 1)
        let remarks = hers.messages.map { hers.remark(on: $0) }
        #expect(remarks == [nil, "Read"])

        await page.choose(.remove, for: try #require(page.nominees.first))
        await page.confirm()
        his.draft = "Are you there?"
        await his.send()
        #expect(his.state.problem?.style == .alert && his.draft == "Are you there?", "what cannot be sent stays")
    }

    /// A vault of `owner` with a nominee who has accepted.
    private func vault(of owner: Somebody, with guest: Somebody) async throws -> (Kith.VaultName, UUID) {
        let vault = try await owner.kith.api.createVault(.init(name: "Family papers"))
        let form = InviteNomineeScreen(owner.kith)
        await form.handOver(.init(id: vault.id, name: vault.name))
        await form.takeDraft()
        form.name = "Bob"
        await form.send(by: .messages)
        let answer = InvitationScreen(guest.kith, token: try #require(form.invitation).token)
        await answer.load()
        await answer.accept()
        let nominees = try await owner.kith.api.listNominees(vaultID: vault.id).items
        return (.init(id: vault.id, name: vault.name), try #require(nominees.first).id)
    }

    @Test func `end a share`() async throws {
        let alice = try await Somebody("Alice")
        let screen = SharesScreen(alice.kith)
        await screen.load()
        #expect(screen.placeholder == "You share no vault.")
        let vault = try await alice.kith.api.createVault(.init(name: "Family papers"))
        let made = try await alice.kith.api.setVaultShare(vaultID: vault.id)
        _ = try await alice.kith.api.syncShareParticipants(
            vaultID: vault.id,
            .init(participants: [
                .init(id: "p1", acceptanceStatus: .accepted, permission: .readWrite, role: .privateUser, name: "Bob")
            ]))
        await screen.load()
        let share = try #require(screen.shares.first)
        #expect(share.id == made.id && screen.participants(of: share) == "1 participant")
        let other: Kith.SharePermission = share.permission == .readWrite ? .readOnly : .readWrite
        await screen.set(other, for: share)
        #expect(screen.shares.first?.permission == other)
        #expect(
            screen.state.announcement
                == "The participants can now \(screen.name(of: other).lowercased()) Family papers.")
        screen.revoke(share)
        #expect(screen.dialog?.title == "Stop Sharing?")
        #expect(
            screen.dialog?.message
                == "Everybody who has access to Family papers through this share loses it at once.")
        screen.cancel()
        #expect(screen.dialog == nil && screen.shares.count == 1)
        screen.revoke(share)
        await screen.confirm()
        #expect(screen.state.announcement == "Family papers is no longer shared.")
        #expect(screen.placeholder == "You share no vault.")
        await screen.load()
        #expect(screen.shares.isEmpty)
    }

    @Test func `sign in by a code`() async throws {
        let house = try SignInHouse()
        let kith = Kith(server: house.client.base, tenant: "acme", storage: newStorage())
        let screen = SignInScreen(kith)
        let number = SignInHouse.number()
        _ = try await house.client.send("GET", "/v1/me")
        await screen.sendCode()
        #expect(screen.state.problem?.text == "Enter your phone number or your e-mail address.")
        screen.address = " \(number) "
        let before = try house.mailbox.items(for: number).count
        await screen.sendCode()
        #expect(screen.step == .code(sentTo: number))
        let code = try await house.newCode(to: number, after: before)
        screen.entry.text = code == "000000" ? "000001" : "000000"
        await screen.signIn()
        #expect(screen.state.problem?.code?.rawValue == "otp_invalid")
        #expect(screen.entry.text.isEmpty)
        screen.entry.text = code
        await screen.signIn()
        #expect(screen.step == .done)
        #expect(kith.session != nil)
    }
}

/// A place for a client's session that nothing else uses.
private func newStorage() -> FileStorage {
    .file(FileManager.default.temporaryDirectory.appending(path: "kith-screens-\(UUID().uuidString)/session"))
}
