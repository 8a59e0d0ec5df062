// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Not up to date since {time}.”
    public func screenOutdated(time: String) -> String {
        known("screen.outdated", ["time": time])
    }
}
