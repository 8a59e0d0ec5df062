// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “another receiver”
    public var alarmAnotherReceiver: String { known("alarm.another_receiver") }

    /// “This is a drill: {body}”
    public func alarmDrill(body: String) -> String {
        known("alarm.drill", ["body": body])
    }

    /// “Nobody could be told. Call your local emergency number.”
    public var alarmNobodyTold: String { known("alarm.nobody_told") }
}
