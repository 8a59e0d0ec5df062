public import Foundation

extension Kith.State {
    /// What is said, in one or two sentences, in the person's language. The server makes the words, so that every
    /// surface says the same.
    public var sentence: String { detail.map { "\(text) \($0)" } ?? text }

    /// How a screen shows the state. A kind or tone that this library does not know is shown as unknown, and never as a
    /// sign of life.
    public var badge: StatusBadge { StatusBadge(text, color, symbol, meaning: detail) }

    /// The state at `now`, by the server's clock: after ``until`` it may be another one, so that it reads as unknown
    /// until it has been loaded again.
    public func current(at now: Date, _ texts: KithTexts = .preferred()) -> Kith.State {
        guard let until, until <= now else { return self }
        return unknown(since: until, texts)
    }

    /// The state as one that is not known any more.
    func unknown(since instant: Date, _ texts: KithTexts) -> Kith.State {
        var style = Date.FormatStyle(date: .abbreviated, time: .shortened, locale: Locale(identifier: texts.language))
        style.timeZone = .current
        let words = texts.connectionUnknownSince(time: instant.formatted(style))
        return Kith.State(kind: .unknown, text: words, detail: nil, tone: .unknown, at: at, until: nil)
    }

    /// Whether somebody waits for the person's answer.
    var asks: Bool { tone == .alarm || tone == .waiting }

    private var color: StatusColor {
        switch tone {
        case .alarm: .error
        case .waiting: .warning
        case .calm: kind == .safe ? .success : .secondary
        default: .secondary
        }
    }

    private var symbol: String {
        switch kind {
        case .safe: "checkmark.circle.fill"
        case .waiting: "bell.fill"
        case .missed, .help: "exclamationmark.triangle.fill"
        case .break: "moon.fill"
        case .paused: "pause.circle.fill"
        case .pending: "clock.fill"
        case .late: "hourglass"
        case .unreachable: "phone.down.fill"
        case .drill: "bell.badge"
        default: "questionmark.circle"
        }
    }
}
