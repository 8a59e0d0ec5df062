/// The ways in which a check-in can come (J05).
enum CheckInSources {
    static let all = ["app", "web", "link", "sms", "voice", "sign"]
    /// Those that count for emergency access unless the owner chooses others: a thing can report without anybody.
    static let usual = ["app", "web", "link", "sms", "voice"]
}
