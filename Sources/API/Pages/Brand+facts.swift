internal import JSON
internal import Pages

extension Brand {
    /// The brand in what a procedure says of a page; nil without a name.
    init?(_ facts: JSONValue) {
        guard let name = facts["brand_name"]?.string else { return nil }
        self.init(name: name, color: facts["brand_color"]?.string, mark: facts["brand_mark"]?.string)
    }
}
