import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `The plan on the web` {
    @Test func `says who is told when, draws it, and is one timeline with emergency access`() async throws {
        let stage = try await AlarmStage()
        let web = stage.alice.web
        try await web.open("/me/plan")
        #expect(web.page.html.contains("<svg class=\"timeline\" role=\"img\""))
        let groups = [("tier.\(stage.connections.bob)", "1"), ("tier.\(stage.connections.carol)", "2")]
        // A group is told later than the one before it, and the first one is not empty.
        try await web.press("save", groups + [("after.2", "0")])
        #expect(web.page.status == 422)
        #expect(web.page.text.contains("Each group has to be told later than the one before it."))
        try await web.open("/me/plan")
        try await web.press("save", groups.map { ($0.0, "2") })
        #expect(web.page.text.contains("Put at least one person into the first group."))
        try await web.open("/me/plan")
        try await web.press("save", groups + [("after.2", "45"), ("desk", "60"), ("known", "on")])
        #expect(web.page.text.contains("Your plan is saved."))
        let plan: Kith.AlarmPlan = try await stage.alice.person.get("GET", "/v1/me/alarm-plan")
        #expect(plan.tiers.map(\.afterMinutes) == [0, 45, 60])
        #expect(
            plan.tiers.map { $0.receivers.map(\.text) } == [[stage.connections.bob], [stage.connections.carol], []])
        #expect(plan.tiers.map(\.desk) == [false, false, true])
        #expect(plan.repeatMinutes == [30, 120] && plan.receiversKnowEachOther)
        let today = try await web.open("/today").text
        #expect(today.contains("that you have not checked in. Carol will be told later"), "\(today)")
        // Saving what is shown keeps it.
        try await web.open("/me/plan")
        try await web.press("save")
        let kept: Kith.AlarmPlan = try await stage.alice.person.get("GET", "/v1/me/alarm-plan")
        #expect(kept.tiers.map(\.afterMinutes) == [0, 45, 60] && kept.repeatMinutes == [30, 120])
        try await web.open("/me/plan")
        let many = [10, 15, 60].map { ("repeat.\($0)", "on") }
        try await web.press("save", many)
        #expect(web.page.status == 422 && web.page.text.contains("Choose at most four."))

        let alone = try await web.open("/me/emergency/rehearsal")
        #expect(alone.text.contains("Nothing would follow in your vaults"))
        #expect(alone.html.contains("<circle class=\"person\" cx="))
        #expect(alone.html.contains("<circle class=\"again\" cx="))
        #expect(alone.text.contains("The staff are told."))
        // Her address is of no use: the tenant sends no e-mail.
        #expect(alone.text.contains("Carol reads (Push): Alice has not checked in"), "\(alone.text)")
        let vault = try await stage.alice.person.makeVault("Papers")
        let nominee = try await stage.alice.person.invite("Dora", to: vault)
        let dora = try await WebPerson.join("Dora")
        try await dora.person.accept(nominee)
        try await stage.alice.person.giveEmergencyAccess(
            to: nominee, of: vault, waitHours: 48, onRequest: false, #","after_missed_days":3"#)
        let whole = try await web.open("/me/emergency/rehearsal")
        for part in ["<circle class=\"person\" cx=", "<rect class=\"wait\" x=", "<rect class=\"grant\" x="] {
            #expect(whole.html.contains(part), "\(part)")
        }
        #expect(whole.text.contains("can enter Papers now") || whole.text.contains("Papers"))
        // Receivers see nothing of it.
        #expect(!(try await stage.bob.web.open("/people/\(stage.connections.bob)").html.contains("Papers")))
        #expect(try await web.compressedBytes(of: "/me/emergency/rehearsal") <= 14 << 10)
    }

    @Test func `has a care card with sections of one's own`() async throws {
        let stage = try await AlarmStage()
        let web = stage.alice.web
        try await web.open("/me/card")
        #expect(web.page.text.contains("Nobody. Whoever looks during an alarm is listed in that alarm."))
        let form = try #require(web.page.form(with: "save"))
        try await web.send(form, "save", [("body.1", "Dora,\nnext door"), ("body.5", "A cat"), ("title.5", "")])
        #expect(web.page.status == 422 && web.page.text.contains("Say what it is about."))
        try await web.open("/me/card")
        try await web.press("save", [("body.1", "Dora,\nnext door"), ("body.5", "Blue <car>"), ("title.5", "Car")])
        #expect(web.page.text.contains("Saved."))
        struct Card: Decodable {
            struct Section: Decodable { let title, body: String }
            let sections: [Section]
        }
        let card: Card = try await stage.alice.person.get("GET", "/v1/me/care-card")
        #expect(card.sections.map(\.title) == ["Who has a key", "Car"])
        #expect(card.sections.map(\.body) == ["Dora,\nnext door", "Blue <car>"])
        #expect(web.page.html.contains("Blue &lt;car&gt;"))
        try await web.press("save")
        let kept: Card = try await stage.alice.person.get("GET", "/v1/me/care-card")
        #expect(kept.sections.map(\.title) == ["Who has a key", "Car"])
        try await web.open("/me/card")
        try await web.press("save", (0..<5).map { ("body.\($0)", String(repeating: "x", count: 1900)) })
        #expect(web.page.status == 422, "4 kB in all")
        try await web.open("/me/card")
        try await web.press("delete")
        #expect(web.page.text.contains("They are deleted."))
    }

    @Test func `has up to four reminders, with a picture`() async throws {
        let alice = try await WebPerson.join("Alice")
        #expect(try await alice.web.open("/me/reminders").text.contains("which you do not have yet"))
        try await alice.person.becomeSender(at: "20:00", grace: 120)
        try await alice.web.open("/me/reminders")
        #expect(alice.web.page.text.contains("You are asked at 20:00 and have until 22:00."))
        #expect(alice.web.page.text.contains("21:45 You are reminded: in your usual ways"))
        try await alice.web.press(
            "save", [("before.0", "60"), ("sms.0", "on"), ("before.1", "15"), ("before.2", "15")])
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.text.contains("Two reminders cannot come at the same time."))
        try await alice.web.press("save", [("before.2", "30"), ("voice.2", "on")])
        #expect(alice.web.page.text.contains("Saved."))
        let profile: Kith.SenderProfile = try await alice.person.get("GET", "/v1/me/sender-profile")
        #expect(profile.reminders.map(\.beforeMinutes) == [60, 30, 15] && profile.pingTime == "20:00")
        #expect(alice.web.page.html.components(separatedBy: "<line class=\"told\" x1=").count == 5)
        #expect(alice.web.page.text.contains("21:00 You are reminded: Text"))
        #expect(alice.web.page.text.contains("21:30 You are reminded: Call"))
        let form = try #require(alice.web.page.form(with: "save"))
        try await alice.web.send(form, "save", (0..<4).map { ("before.\($0)", "") })
        #expect(alice.web.page.text.contains("Keep at least one reminder."))
    }
}
