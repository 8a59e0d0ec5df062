/// The channels as a person chooses them, from quiet to loud.
enum Ways {
    static let all = ["push", "email", "sms", "voice"]
}
