/// One way to call a command, read from its usage: `channel test SLUG CHANNEL ADDRESS [--environment sandbox]`.
struct CommandForm: Equatable {
    /// An option. `value` is nil for a flag; in small letters it is the literal value, otherwise it stands for one.
    struct Option: Equatable {
        let name: String
        let value: String?
    }

    /// The form as the usage has it.
    let text: String
    /// The subcommands, in order: `channel`, `test`.
    private(set) var subcommands: [String] = []
    /// The placeholders of the positional arguments: `SLUG`, `CHANNEL`, `ADDRESS`.
    private(set) var arguments: [String] = []
    private(set) var options: [Option] = []

    /// Reads one alternative of a usage. Words in small letters are subcommands, others stand for arguments, and an
    /// option's value follows it in the same brackets.
    init(_ text: String) {
        self.text = text
        var words = text.split(separator: " ").map(String.init)[...]
        while let first = words.popFirst() {
            var group = [first]
            if first.hasPrefix("[") {
                while group.last?.hasSuffix("]") == false, let next = words.popFirst() { group.append(next) }
            } else if first.hasPrefix("--"), let next = words.first, !next.hasPrefix("-"), !next.hasPrefix("[") {
                group.append(words.removeFirst())
            }
            read(group.joined(separator: " ").trimmingPrefix("["), isOptional: first.hasPrefix("["))
        }
    }

    private mutating func read(_ group: Substring, isOptional: Bool) {
        let words = (isOptional ? group.dropLast() : group).split(separator: " ", maxSplits: 1).map(String.init)
        if let name = words.first, name.hasPrefix("--") {
            let rest = words.count == 2 ? words[1] : nil
            // An option that needs another one stands within its brackets: [--check [--plan]].
            let needing = rest.flatMap { $0.hasPrefix("[") ? $0.dropFirst() : nil }
            options.append(Option(name: name, value: needing == nil ? rest : nil))
            if let needing { read(needing, isOptional: true) }
        } else if !isOptional, let word = words.first, word.allSatisfy({ $0.isLowercase || ".-".contains($0) }) {
            subcommands.append(word)
        } else {
            arguments.append(words.joined(separator: " "))
        }
    }
}

extension Command {
    /// The options that every command takes.
    static let commonOptions = [
        CommandForm.Option(name: "--env-file", value: "FILE"), CommandForm.Option(name: "--cell", value: "NAME"),
    ]

    /// The ways to call the command, in the order of its usage.
    var forms: [CommandForm] {
        usage.isEmpty ? [CommandForm("")] : usage.split(separator: " | ").map { CommandForm(String($0)) }
    }
}
