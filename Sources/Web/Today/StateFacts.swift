package import JSON
internal import Pages

/// What is said of a person now, in the reader's words (I06): a connection, one's own day or an alarm says it.
package struct StateFacts {
    /// What the shape of a page follows. One that this page does not know is as good as `unknown`.
    let kind: String
    package let text: String
    let detail: String?
    private let feeling: String

    package init(_ facts: JSONValue?) {
        kind = facts?["kind"]?.string ?? "unknown"
        text = facts?["text"]?.string ?? ""
        detail = facts?["detail"]?.string
        feeling = facts?["tone"]?.string ?? "unknown"
    }

    /// The colour, which never says anything that the words do not. Only what is known to be safe is green.
    var tone: String {
        switch feeling {
        case "alarm": "bad"
        case "waiting": "warn"
        case "calm": kind == "safe" ? "good" : "info"
        default: "quiet"
        }
    }

    var shape: Shape { Shape(kind: kind) }

    /// The state as it is seen from two metres: its shape, and its first sentence as the heading of the page.
    var heading: HTML {
        "<div class=\"day \(tone)\">\(shape.html)<h1>\(text)</h1></div>\n"
    }

    /// The words as HTML. Nothing tells a page when a message has left, so a page that shows one that has not says that
    /// it waits.
    func lines(waits: Bool = false) -> HTML {
        let first: HTML = "<span class=\"state \(tone)\"\(waits ? " data-waits" : "")>\(text)</span>"
        return detail.map { first + "<br>\n<span>\($0)</span>" } ?? first
    }
}
