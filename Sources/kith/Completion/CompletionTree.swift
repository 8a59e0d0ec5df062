internal import Foundation

/// What can follow at each point of a command line, read from the table of commands. The completions of all shells are
/// written from it.
struct CompletionTree {
    /// A subcommand or option that can follow.
    struct Word {
        let text: String
        /// One clause, or empty.
        let summary: String
    }

    /// A point of the command line: `kith`, or a command with its subcommands.
    struct Node {
        /// The words that lead here, without `kith`: `tenant channel set`.
        let path: String
        var subcommands: [Word] = []
        var options: [CommandForm.Option] = []
        /// The positions, from 0, of the arguments that are paths of files.
        var files: Set<Int> = []
    }

    private(set) var nodes: [Node] = [Node(path: "")]

    init(_ commands: [Command]) {
        for command in commands {
            let summary = command.summary.prefix { !".;:(".contains($0) }.trimmingCharacters(in: .whitespaces)
            add([command.name], summary: summary)
            for form in command.forms { add(form, of: command) }
        }
    }

    /// The names of the options that are followed by a value.
    var optionsWithValue: [String] {
        Set(nodes.flatMap(\.options).filter { $0.value != nil }.map(\.name)).sorted()
    }

    /// The options whose value is a file.
    var fileOptions: [String] {
        Set(nodes.flatMap(\.options).filter { $0.value == "FILE" }.map(\.name)).sorted()
    }

    /// The values of the options that take one of a few.
    var optionChoices: [(option: String, values: [String])] {
        let literal = nodes.flatMap(\.options).filter { $0.value.map { $0.allSatisfy(\.isLowercase) } ?? false }
        return Dictionary(grouping: literal, by: \.name).sorted { $0.key < $1.key }
            .map { ($0.key, Set($0.value.compactMap(\.value)).sorted()) }
    }

    /// The options with a value that cannot be completed.
    var optionsWithOtherValue: [String] {
        optionsWithValue.filter { name in !fileOptions.contains(name) && !optionChoices.contains { $0.option == name } }
    }

    /// The steps from one node to the next, as `tenant create`; from the root, as ` tenant`.
    var steps: [String] {
        nodes.dropFirst().map { $0.path.contains(" ") ? $0.path : " " + $0.path }
    }

    private mutating func add(_ form: CommandForm, of command: Command) {
        var words = [command.name]
        for subcommand in form.subcommands {
            words.append(subcommand)
            add(words, summary: "")
        }
        guard let index = index(of: words) else { return }
        for option in form.options + Command.commonOptions where !nodes[index].options.contains(option) {
            nodes[index].options.append(option)
        }
        nodes[index].files.formUnion(form.arguments.indices.filter { form.arguments[$0].hasPrefix("FILE") })
    }

    /// Adds the node at the end of `words`, whose parent exists.
    private mutating func add(_ words: [String], summary: String) {
        guard index(of: words) == nil, let parent = index(of: words.dropLast()), let last = words.last else { return }
        nodes[parent].subcommands.append(Word(text: last, summary: summary))
        nodes.append(Node(path: words.joined(separator: " ")))
    }

    private func index(of words: [String]) -> Int? {
        nodes.firstIndex { $0.path == words.joined(separator: " ") }
    }
}
