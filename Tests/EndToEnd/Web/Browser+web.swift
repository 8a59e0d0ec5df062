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

    /// The sizes of a phone and of a desk that pages are looked at with.
    static let sizes = [(width: 360, height: 740), (width: 1280, height: 800)]

    /// Where an element is in the window: left, top, right, bottom.
    func place(of selector: String) throws -> [Double] {
        try evaluate(
            """
            const element = document.querySelector(`\(selector)`);
            element.scrollIntoView({block: 'nearest', behavior: 'instant'});
            const {left, top, right, bottom} = element.getBoundingClientRect();
            return [left, top, right, bottom]
            """)
    }

    /// Taps a point of the window, as a finger does.
    func tap(_ place: [Double]) throws {
        let point: [String: Any] = ["x": (place[0] + place[2]) / 2, "y": (place[1] + place[3]) / 2]
        for type in ["mousePressed", "mouseReleased"] {
            let event: [String: Any] = ["type": type, "button": "left", "clickCount": 1]
            try command("Input.dispatchMouseEvent", event.merging(point) { $1 })
        }
    }

    /// The texts of those elements in the window that a tap on `place` could meet.
    func meets(_ place: [Double], _ selector: String) throws -> [String] {
        try evaluate(
            """
            const [left, top, right, bottom] = \(place);
            return [...document.querySelectorAll(`\(selector)`)].filter((element) => {
              const box = element.getBoundingClientRect();
              return box.left < right && left < box.right && box.top < bottom && top < box.bottom;
            }).map((element) => element.innerText)
            """)
    }

    /// The text that somebody sees on the page.
    func text(_ selector: String = "body") throws -> String {
        try evaluate("return document.querySelector('\(selector)').innerText")
    }
}
