// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Remove”
    public var thingEndConfirm: String { known("thing.end.confirm") }

    /// “Its address stops working.”
    public var thingEndMessage: String { known("thing.end.message") }

    /// “Remove {name}?”
    public func thingEndTitle(name: String) -> String {
        known("thing.end.title", ["name": name])
    }

    /// “{name} is removed.”
    public func thingEnded(name: String) -> String {
        known("thing.ended", ["name": name])
    }

    /// “Let {name} open this address. It is shown only once.”
    public func thingMade(name: String) -> String {
        known("thing.made", ["name": name])
    }

    /// “Give it a name.”
    public var thingNameEmpty: String { known("thing.name.empty") }
}
