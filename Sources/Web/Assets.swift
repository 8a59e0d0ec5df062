internal import Crypto
package import Pages

/// A file that pages load. Its name has a hash of its content, so that browsers may keep it for ever.
package struct Asset: Sendable {
    /// The address, such as `/assets/kith-1f0c6b7a9d2e4c58.css`.
    package let path: String
    package let type: String
    package let content: [UInt8]

    /// All files below `Assets/`.
    package static let all: [Asset] = AssetLinker(embeddedFiles).assets

    /// The style sheet of every page.
    package static let style = named("kith", "css")
    package static let icon = named("icon", "svg")
    /// The icon while there is an alarm.
    package static let alarmIcon = named("icon-alarm", "svg")
    /// What a tenant's colour adds to the style sheet. Its address has the colour, so that it is a file as the others.
    package static func style(of color: BrandColor) -> Asset { branded(color, "css", Array(color.sheet.text.utf8)) }

    /// The icon in a tenant's colour.
    package static func icon(of color: BrandColor) -> Asset {
        let drawing = String(decoding: icon.content, as: UTF8.self)
        return branded(color, "svg", Array(drawing.replacing("#0842a0", with: color.text).utf8))
    }

    private static func branded(_ color: BrandColor, _ ending: String, _ content: [UInt8]) -> Asset {
        Asset(name: "brand-\(color.text.dropFirst())", ending: ending, content: content)
    }

    /// The module that every page loads.
    package static let script = named("kith", "js")
    /// The service worker. It has an address of its own, since a worker serves the paths below its address.
    package static let worker = named("worker", "js")
    /// The modules that pages load, with ``script``.
    package static let modules = all.filter { $0.ending == "js" && $0.name != "worker" }

    /// The folder of the addresses.
    package static let folder = "/assets/"

    private let name: String
    private let ending: String

    init(_ file: String, _ text: String) {
        let parts = file.split(separator: ".")
        let ending = String(parts.last ?? "")
        let content = ending == "png" ? Self.decoded(text) : Array(text.utf8)
        self.init(name: parts.dropLast().joined(separator: "."), ending: ending, content: content)
    }

    private init(name: String, ending: String, content: [UInt8]) {
        self.name = name
        self.ending = ending
        self.content = content
        path = "\(Self.folder)\(name)-\(Hex.encode(sha256(content).prefix(8))).\(ending)"
        type =
            switch ending {
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            case "svg": "image/svg+xml"
            case "png": "image/png"
            default: "text/plain; charset=utf-8"
            }
    }

    /// The bytes of a picture, which is embedded as base64.
    private static func decoded(_ text: String) -> [UInt8] {
        let url = text.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
        guard let bytes = Base64URL.decode(url) else { preconditionFailure("a picture in Assets/ is no base64") }
        return bytes
    }

    /// The icon as a picture of so many pixels on each side, for what takes no SVG. `make icons` draws it.
    package static func icon(_ size: Int) -> Asset { named("icon-\(size)", "png") }

    /// The file of that name in `Assets/`. A name that no file has is a programming error.
    package static func named(_ name: String, _ ending: String) -> Asset {
        guard let asset = all.first(where: { $0.name == name && $0.ending == ending }) else {
            preconditionFailure("there is no Assets/\(name).\(ending)")
        }
        return asset
    }

    /// The file at the address of a request, and whether the address is its own. While two releases serve, a page of
    /// one asks the other for its files: an address with another hash leads to this release's file of that name.
    package static func at(_ path: String) -> (asset: Asset, isExact: Bool)? {
        if let asset = byPath[path] { return (asset, true) }
        if let match = path.wholeMatch(of: /\/assets\/brand-([0-9a-f]{6})-[0-9a-f]{16}\.(css|svg)/),
            let color = BrandColor("#\(match.1)")
        {
            let asset = match.2 == "css" ? style(of: color) : icon(of: color)
            return (asset, asset.path == path)
        }
        guard let match = path.wholeMatch(of: /\/assets\/([a-z0-9-]+)-[0-9a-f]{16}\.([a-z]+)/) else { return nil }
        return all.first { $0.name == match.1 && $0.ending == match.2 }.map { ($0, false) }
    }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}
