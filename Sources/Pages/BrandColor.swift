internal import Foundation

/// The colour of a tenant's buttons and links, in both schemes. In the dark scheme it is as much lighter as it must be
/// to have the contrast of 7:1 there too (WCAG 2.2, 1.4.6).
package struct BrandColor: Sendable {
    /// The colour as six hexadecimal digits after `#`.
    package let text: String

    /// A colour such as `#0842a0`; nil for anything else.
    package init?(_ text: String?) {
        guard let text, text.wholeMatch(of: /#[0-9a-f]{6}/) != nil else { return nil }
        self.text = text
    }

    /// The custom properties of a style sheet that the colour sets.
    package var sheet: HTML {
        """
        :root{--accent:\(text);--on-accent:#fff}\
        @media (prefers-color-scheme:dark){:root{--accent:\(onDark);--on-accent:\(Self.darkGround)}}
        """
    }

    /// The ground of pages in the dark scheme.
    private static let darkGround = "#14171a"
    /// The lightest ground of a panel in the dark scheme.
    private static let darkPanel = "#3a2a08"

    /// The colour, mixed with as many hundredths of white as it needs on the grounds of the dark scheme.
    var onDark: String {
        let ground = Self.luminance(of: Self.channels(of: Self.darkPanel))
        let own = Self.channels(of: text)
        for share in 0...100 {
            let mixed = own.map { $0 + (1 - $0) * Double(share) / 100 }
            guard (Self.luminance(of: mixed) + 0.05) / (ground + 0.05) >= 7 || share == 100 else { continue }
            return "#" + mixed.map { String(format: "%02x", Int(($0 * 255).rounded())) }.joined()
        }
        return "#ffffff"
    }

    /// The shares of red, green and blue, from 0 to 1.
    private static func channels(of text: String) -> [Double] {
        let value = Int(text.dropFirst(), radix: 16) ?? 0
        return [16, 8, 0].map { Double(value >> $0 & 0xff) / 255 }
    }

    /// The relative luminance (WCAG 2.2).
    private static func luminance(of channels: [Double]) -> Double {
        let linear = channels.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}

extension PageStyle {
    /// The plain style in a tenant's colour.
    package static func plain(_ color: BrandColor?) -> PageStyle {
        color.map { PageStyle("\(plain.sheet)\($0.sheet)") } ?? plain
    }
}
