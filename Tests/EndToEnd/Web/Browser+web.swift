import Foundation
import Testing

/// The web client in a browser.
extension Browser {
    /// The address of a page of the web client. Browsers take cookies without TLS, and service workers, from this host
    /// only.
    static func address(_ path: String) -> String { "http://localhost\(path)" }

    /// Makes the browser somebody's by their cookie, and opens a page. Others' cookies go.
    func become(_ person: WebPerson, at path: String = "/today") throws {
        if try !evaluate("return location.origin", as: String.self).hasPrefix("http://localhost") {
            try open(Self.address("/live/session"))
            // This address is for modules only, and the console says that it was refused.
            _ = try console()
        }
        try hold(person)
        try open(Self.address(path))
    }

    /// Gives the browser somebody's cookies in place of those that it has.
    func hold(_ person: WebPerson) throws {
        try removeCookies()
        for (name, value) in person.web.cookies { try setCookie(name, value) }
    }

    /// Waits until a condition on the page is true.
    func wait(_ condition: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let end = Date() + 60
        while Date() < end {
            // Between two pages there may be nothing to evaluate the condition in.
            if (try? evaluate("return Boolean(\(condition))")) == true { return }
            usleep(20_000)
        }
        let text: String = try evaluate("return location.href + document.body.innerText")
        Issue.record("not in time: \(condition), on \(text), \(try console())", sourceLocation: sourceLocation)
        throw KithProcess.Failure(description: "not in time: \(condition)")
    }

    /// Waits until the page follows the events.
    func waitUntilLive(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try wait("document.body.hasAttribute('data-is-live')", sourceLocation: sourceLocation)
    }

    /// Presses a button of the page as a script does, which needs no place on the screen.
    func press(_ selector: String) throws {
        let _: Bool = try evaluate("document.querySelector('\(selector)').click(); return true")
    }

    /// The text that somebody sees on the page.
    func text(_ selector: String = "body") throws -> String {
        try evaluate("return document.querySelector('\(selector)').innerText")
    }
}
