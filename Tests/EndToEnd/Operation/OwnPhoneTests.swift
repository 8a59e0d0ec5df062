import Counterparts
import Foundation
import Glibc
import TestThreads
import Testing

/// The commands of docs/start.md, as a newcomer pastes them after those of the README. In place of the provider stands
/// a server of `Tests/Counterparts`, in place of the phone its log. The test moves the ping instead of waiting for it.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The first minutes on a phone of one's own` {
    /// What docs/start.md has, and the reader replaces.
    private static let (address, own, number) = ("you@example.com", "you+dora@example.com", "+447700900123")

    @Test func `lead to an alarm by mail, as docs/start.md says`() async throws {
        let certificate = try Certificate()
        let mail = try Counterpart(
            "mail", ["--certificate", certificate.pathWithKey, "--password", "your password"])
        let provider =
            #""localhost", "port": \#(mail.port), "username": "kith", "password": "your password", "from": "#
        let phone = Phone { address in
            try mail.log.compactMap { message in
                (message["recipients"] as? [String]) == [address] ? message["data"] as? String : nil
            }.map(Self.unwrapped)
        }
        let newcomer = try await begin(
            certificate,
            [(#""smtp.example.com", "username": "you@example.com", "password": "your password", "from": "#, provider)])
        try await newcomer.follow(PageStep.steps(in: "docs/start.md", of: "Two people and a provider"))
        #expect(try phone.messages(Self.address).last?.contains("Acme can reach you here.") == true)

        let contacts = try PageStep.steps(in: "docs/start.md", of: "Give Emil your address")
        #expect(contacts.count == 5)
        for (step, address) in zip(
            contacts, [Self.address, Self.address, Self.address, Self.own, Self.own])
        {
            try await follow(step, newcomer, codeOf: address, phone)
        }
        try await miss(newcomer)
        let question = try await phone.waits(for: Self.own, "Time to Check In")
        #expect(question.contains("/c/"), "\(question)")
        try await pass(newcomer)
        let alarm = try await phone.waits(for: Self.address, "Dora has not checked in today.")
        #expect(!alarm.contains("may not have reached"), "\(alarm)")
        try await answer(alarm, newcomer)
        _ = try await phone.waits(for: Self.address, "Dora checked in")
        try newcomer.leave()
    }

    @Test func `lead to an alarm by text message, as docs/start.md says`() async throws {
        let providers = try Providers()
        let url = providers.url("/answer/%7B%22sid%22%3A%22SM1%22%7D")
        let phone = Phone { number in
            try providers.sink.log.compactMap { ($0["body"] as? String)?.replacing("+", with: "%20") }
                .compactMap { URLComponents(string: "?\($0)")?.queryItems }
                .filter { form in form.contains { $0.name == "To" && $0.value == number } }
                .compactMap { form in form.first { $0.name == "Body" }?.value }
        }
        let newcomer = try await begin(
            providers.certificate, [("https://api.twilio.com/2010-04-01/Accounts/AC…/Messages.json", url)])
        try await newcomer.follow(PageStep.steps(in: "docs/start.md", of: "By text message instead"))

        // As the page says, and without an address for Dora.
        let contacts = try PageStep.steps(in: "docs/start.md", of: "Give Emil your address").prefix(3).map {
            $0.replacing([
                (#""email":"\#(Self.address)""#, #""phone":"\#(Self.number)""#), ("email_verified", "phone_verified"),
                (#"["email"]"#, #"["sms"]"#),
            ])
        }
        for step in contacts { try await follow(step, newcomer, codeOf: Self.number, phone) }
        try await miss(newcomer)
        _ = try await phone.waits(for: Self.number, "We can't remind Dora")
        try await pass(newcomer)
        let alarm = try await phone.waits(for: Self.number, "Dora has not checked in today.")
        #expect(alarm.contains("Our question may not have reached them."), "\(alarm)")
        try await answer(alarm, newcomer)
        _ = try await phone.waits(for: Self.number, "Dora checked in")
        try newcomer.leave()
    }

    /// Starts Kith as the page says, but for this machine alone, and does what the README says up to the connection.
    private func begin(_ certificate: Certificate, _ texts: [(String, String)]) async throws -> Newcomer {
        let start = try #require(
            try PageStep.steps(in: "docs/start.md", of: "Start Kith where the phone finds it").first)
        let port = try #require(try LoopbackListener { close($0) }.url.port)
        let said = start.replacing([
            ("0.0.0.0:8080", "127.0.0.1:\(port)"), ("$(hostname -I | cut -d ' ' -f 1):8080", "127.0.0.1:\(port)"),
            ("make run", "env"),
        ])
        let variables = try Tool.run(URL(filePath: "/bin/bash"), ["-c", said.commands], environment: [:]).output
        let provider = ["KITH_OUTBOUND_ALLOW": "127.0.0.0/8", "KITH_CA_FILE": certificate.path]
        let exported = Dictionary(
            variables.matches(of: /(KITH_(?:DELIVERY|LISTEN|PUBLIC_URL))=(.+)/).map { (String($0.1), String($0.2)) }
        ) { $1 }
        #expect(exported.count == 3, "\(variables)")
        let newcomer = try await Newcomer(
            dev: provider.merging(exported) { $1 }, shell: provider, replacing: texts)
        let people = try PageStep.steps(in: "README.md", of: "The first minutes")
        try await newcomer.follow(people.prefix { !$0.commands.contains("check-in") })
        return newcomer
    }

    /// Does a step, with the code that has come to an address in place of the page's.
    private func follow(_ step: PageStep, _ newcomer: Newcomer, codeOf address: String, _ phone: Phone) async throws {
        var step = step
        if step.commands.contains("123456") {
            let message = try await phone.waits(for: address, "Acme code: ")
            let code = try #require(message.firstMatch(of: /Acme code: ([0-9]{6})/)).1
            step = step.replacing([("123456", String(code))])
        }
        try await newcomer.follow([step])
    }

    /// Lets Dora be asked now. The questions of a minute are spread over it, so it has passed.
    private func miss(_ newcomer: Newcomer) async throws {
        try await newcomer.follow(PageStep.steps(in: "docs/start.md", of: "Miss a check-in"))
        try await move(
            "scheduled_at = now() - interval '1 minute', remind_at = null where status = 'scheduled'", newcomer)
    }

    /// Lets the five minutes pass.
    private func pass(_ newcomer: Newcomer) async throws {
        try await move("deadline_at = now() where status = 'due'", newcomer)
    }

    /// Moves the ping of today. Around midnight it is made within seconds.
    private func move(_ change: String, _ newcomer: Newcomer) async throws {
        let statement = """
            update kith.pings set \(change) and scheduled_at < now() + interval '2 minutes' \
            and tenant_id = (select tenant_id from kith.tenants where slug = 'acme') returning 1
            """
        while true {
            let printed = try await newcomer.type("kith psql --role kith_owner -qAtXc \"\(statement)\"")
            if printed == "1\n" { return }
            try #require(printed.isEmpty, "\(printed)")
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Presses the button of the page to which an alarm leads, and does what follows.
    private func answer(_ alarm: String, _ newcomer: Newcomer) async throws {
        let base = try #require(URL(string: "http://\(newcomer.address)"))
        let client = APIClient(base: base)
        let path = try #require(alarm.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+(\/a\/[0-9A-Za-z_-]+)/)).1
        let page = try await client.send("GET", String(path))
        #expect(page.text.contains("I’m looking after it"), "\(page.text)")
        let form = try #require(page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)).1
        let pressed = try await client.send(
            "POST", String(path), "form=\(form)&action=take",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(pressed.status == 200, "\(pressed.text)")
        let steps = try ["Answer it", "If nothing arrives"].flatMap { try PageStep.steps(in: "docs/start.md", of: $0) }
        #expect(steps.count == 4)
        try await newcomer.follow(steps)
    }

    /// The text of a mail, without the breaks of quoted-printable lines (RFC 2045, section 6.7).
    private static func unwrapped(_ mail: String) -> String {
        mail.replacing("=\r\n", with: "").replacing("=E2=80=99", with: "’")
    }

    /// The messages on the phone.
    private struct Phone {
        /// The messages to an address or a number, oldest first.
        let messages: (String) throws -> [String]

        /// Waits for a message with a text; the newest.
        func waits(for address: String, _ text: String) async throws -> String {
            let end = Date() + 120
            while Date() < end {
                if let found = try messages(address).last(where: { $0.contains(text) }) { return found }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw KithProcess.Failure(
                description: "\(address) did not get “\(text)”; it got: \(try messages(address))")
        }
    }
}
