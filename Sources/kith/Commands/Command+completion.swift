extension Command {
    static let completion = Command(
        name: "completion", usage: "bash | zsh | fish",
        summary: "Prints a shell's completion of commands and options. The Debian package installs all three."
    ) { arguments in
        var arguments = arguments
        let shell = try arguments.positional("the shell: bash, zsh or fish")
        let tree = CompletionTree(all)
        let text =
            switch shell {
            case "bash": tree.bash
            case "zsh": tree.zsh
            case "fish": tree.fish
            default: throw CommandError("completion takes bash, zsh or fish, not \(shell)", status: 64)
            }
        try arguments.finish()
        print(text)
    }
}
