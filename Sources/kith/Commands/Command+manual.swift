extension Command {
    static let manual = Command(
        name: "manual", usage: "kith | kith.env",
        summary:
            """
            Prints a manual page in roff: kith(1), or kith.env(5) about the variables. The Debian package installs \
            both.
            """
    ) { arguments in
        var arguments = arguments
        let page = try arguments.positional("the page: kith or kith.env")
        let text =
            switch page {
            case "kith": ManualPage.commands(all)
            case "kith.env": ManualPage.variables(Configuration.variables)
            default: throw CommandError("manual takes kith or kith.env, not \(page)", status: 64)
            }
        try arguments.finish()
        print(text)
    }
}
