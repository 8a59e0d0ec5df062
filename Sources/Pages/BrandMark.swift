/// The picture of a tenant's app, by the path that serves it: a square PNG of 64 to 512 pixels on each side, which the
/// database has checked (`internal.brand_mark_refusal`).
package struct BrandMark: Sendable {
    /// The path, such as `/assets/mark-acme-256-1f0c6b7a9d2e4c58.png`. It changes with the picture.
    package let path: String
    /// The slug of the tenant.
    package let tenant: String
    /// The pixels on each side.
    package let side: Int

    /// The media type of every mark.
    package static let type = "image/png"

    /// The mark at a path; nil if the path is none of a mark.
    package init?(_ path: String?) {
        // The slug may hold what follows it, so the rest is matched from the end.
        guard let path, path.utf8.count <= Self.longest,
            let match = path.wholeMatch(of: /\/assets\/mark-([a-z0-9-]{1,63})-([0-9]{2,3})-[0-9a-f]{16}\.png/),
            let side = Int(match.2)
        else { return nil }
        self.path = path
        self.side = side
        tenant = String(match.1)
    }

    /// The longest path in bytes.
    private static let longest = 120

    /// The picture beside the brand's name, which says the same in words.
    package var picture: HTML { "<img src=\"\(path)\" alt=\"\" width=\"32\" height=\"32\">" }
}
