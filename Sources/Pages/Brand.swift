/// What people recognise a tenant's app by.
package struct Brand: Sendable {
    package let name: String
    /// The colour of its pages; nil for Kith's own.
    package let color: BrandColor?
    /// The picture beside the name; nil if there is none.
    package let mark: BrandMark?

    /// A brand with the colour and the path of the mark as the database has them.
    package init(name: String, color: String?, mark: String?) {
        self.name = name
        self.color = BrandColor(color)
        self.mark = BrandMark(mark)
    }

    /// The line at the top of a page.
    package var line: HTML { "<p class=\"brand\">\(mark?.picture ?? "")\(name)</p>\n" }
}
