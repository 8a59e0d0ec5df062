package import Pages

/// The one shape for how somebody is, on every page and in every list. Each differs from the others by its outline and
/// not by its colour alone (WCAG 2.2, 1.4.1), and stands beside words that say the same, so screen readers leave it
/// out.
package enum Shape: String, CaseIterable {
    /// A disc with a check mark.
    case safe
    /// A clock.
    case waiting
    /// A triangle with an exclamation mark.
    case missed
    /// An octagon with an exclamation mark.
    case help
    /// A moon.
    case pause = "break"
    /// A square with two bars.
    case paused
    /// A square with three dots.
    case pending
    /// A ring with a bar across it.
    case unreachable
    /// A hexagon.
    case drill
    /// An empty diamond with a dot.
    case unknown

    /// The shape for a kind of ``StateFacts``. A kind that nobody knows here is unknown, never safe.
    package init(kind: String) {
        self = kind == "late" ? .waiting : Shape(rawValue: kind) ?? .unknown
    }

    /// The picture in the colour of the text around it.
    package var html: HTML { Self.picture("shape", path) }

    /// A picture of a single path in a square of 24. What a path encloses twice is a hole.
    static func picture(_ name: String, _ path: String) -> HTML {
        "<svg class=\"\(name)\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path fill-rule=\"evenodd\" d=\"\(path)\"/></svg>"
    }

    private var path: String {
        let disc = "M 12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22z"
        let ring = disc + "m0 2.8a8.2 8.2 0 1 1 0 16.4 8.2 8.2 0 0 1 0-16.4z"
        let square = "M5 1h14a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H5a4 4 0 0 1-4-4V5a4 4 0 0 1 4-4z"
        return switch self {
        case .safe: disc + "M 10.2 17.6 4.9 12.3l2-2 3.3 3.3 6.9-7.4 2.1 2z"
        case .waiting: ring + "M 10.8 6.4h2.4v5.1l3.7 3.7-1.7 1.7-4.4-4.4z"
        case .missed: "M 12 1.2 23.6 22H.4zM 10.8 8.6h2.4l-.4 6.9h-1.6zM 10.7 17h2.6v2.6h-2.6z"
        case .help: "M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9zM 10.5 5.2h3l-.5 8.8h-2zM 10.6 15.9h2.8v2.8h-2.8z"
        case .pause: "M 21 15.3A9.8 9.8 0 0 1 8.7 3a10 10 0 1 0 12.3 12.3z"
        case .paused: square + "M7.6 6.6h3v10.8h-3zM 13.4 6.6h3v10.8h-3z"
        case .pending: square + "M5 10.6h2.8v2.8H5zM 10.6 10.6h2.8v2.8h-2.8zM 16.2 10.6H19v2.8h-2.8z"
        case .unreachable: ring + "M6 7.7 7.7 6 18 16.3 16.3 18z"
        case .drill: "M6.5 2.5h11L23 12l-5.5 9.5h-11L1 12zM8 5.2 4.1 12 8 18.8h8l3.9-6.8L16 5.2z"
        case .unknown: "M 12 .8 23.2 12 12 23.2.8 12zM 12 4.8 4.8 12l7.2 7.2 7.2-7.2zM 10.5 10.5h3v3h-3z"
        }
    }
}

extension ScreenPage.Section {
    /// The picture above the word in the navigation.
    var icon: HTML {
        let path =
            switch self {
            case .today: "M 12 2 22.5 11v11H15v-7H9v7H1.5V11z"
            case .people:
                "M8.5 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM 17.5 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM0 21.5a8.5 7.5 0 0 1 17 0zM 18.8 21.5H24a6 7 0 0 0-8-6.6 9.6 9.6 0 0 1 2.8 6.6z"
            case .vaults: "M6.5 10V7.5a5.5 5.5 0 0 1 11 0V10H20v12H4V10zM9 10h6V7.5a3 3 0 0 0-6 0zM 10.8 14h2.4v4h-2.4z"
            case .messages:
                "M3.5 2.5h17a2.5 2.5 0 0 1 2.5 2.5v10a2.5 2.5 0 0 1-2.5 2.5H10L4 22.5v-5h-.5A2.5 2.5 0 0 1 1 15V5a2.5 2.5 0 0 1 2.5-2.5z"
            case .me: "M 12 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM2 22.5a10 9 0 0 1 20 0z"
            }
        return Shape.picture("icon", path)
    }
}
