import Crypto
import Requests
import Testing

@Suite struct `The key of a page's form` {
    private static let now: Int64 = 1_780_000_000_000_000

    private func id(_ key: FormKey?, _ subject: String = "a@example.com") throws -> String? {
        guard let key else { return nil }
        return try key.id(for: subject, with: MasterKey(text: String(repeating: "0123456789abcdef", count: 4)))
    }

    @Test func `gives one id, which belongs to the browser and to what is asked for`() throws {
        let key = UUID7.make(at: Self.now)
        func form(_ key: String, _ browser: String = "one", after seconds: Int64 = 5) -> FormKey? {
            FormKey(key, browser: browser, at: Self.now + seconds * 1_000_000)
        }
        let first = try #require(try id(form(key)))
        #expect(try id(form(key, after: 900)) == first)
        #expect(UUID7.instant(of: first) == Self.now, "its time is that of the page")
        #expect(try id(form(key, "two")) != first)
        #expect(try id(form(UUID7.make(at: Self.now))) != first)
        #expect(try id(form(key), "b@example.com") != first)
    }

    @Test func `is none that no page made, or that is too old`() throws {
        let key = UUID7.make(at: Self.now)
        #expect(FormKey("", browser: "one", at: Self.now) == nil)
        #expect(FormKey("5f2c9a1e07b34d68", browser: "one", at: Self.now) == nil)
        // A key of the future would name a partition that does not exist.
        #expect(FormKey(key, browser: "one", at: Self.now - 1_000_000) == nil)
        #expect(FormKey(key, browser: "one", at: Self.now + 86_400_000_000) != nil)
        #expect(FormKey(key, browser: "one", at: Self.now + 86_401_000_000) == nil)
    }
}
