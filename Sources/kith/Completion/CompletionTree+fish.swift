internal import Foundation

extension CompletionTree {
    /// The completion for fish, which is loaded from `/usr/share/fish/vendor_completions.d/kith.fish`.
    var fish: String {
        """
        # Completion of kith for fish, made by `kith completion fish`.
        function __kith_at --description 'Whether these subcommands and this many arguments stand before the cursor'
            set -l at ''
            set -l seen 0
            set -l isValue no
            for word in (commandline -opc)[2..]
                if test $isValue = yes
                    set isValue no
                    continue
                end
                switch $word
                    case \(optionsWithValue.joined(separator: " "))
                        set isValue yes
                    case '-*'
                    case '*'
                        switch "$at $word"
                            case \(steps.map { "'\($0)'" }.joined(separator: " "))
                                set at (string trim "$at $word")
                            case '*'
                                set seen (math $seen + 1)
                        end
                end
            end
            test "$at" = "$argv[1]"; or return
            test (count $argv) -eq 1; or test $seen -eq $argv[2]
        end
        complete -c kith -f
        \(nodes.flatMap(Self.fishLines).joined(separator: "\n"))
        """
    }

    private static func fishLines(_ node: Node) -> [String] {
        func line(_ rest: String, _ position: String = "") -> String {
            "complete -c kith -n '__kith_at \"\(node.path)\"\(position)' \(rest)"
        }
        let subcommands = node.subcommands.map { word in
            let summary = word.summary.replacingOccurrences(of: "'", with: "\\'")
            return line("-a \(word.text)" + (summary.isEmpty ? "" : " -d '\(summary)'"))
        }
        let options = node.options.map { option in
            let name = "-l \(option.name.dropFirst(2))"
            guard let value = option.value else { return line(name) }
            if value == "FILE" { return line("\(name) -r -F") }
            return line("\(name) -x" + (value.allSatisfy(\.isLowercase) ? " -a \(value)" : ""))
        }
        return subcommands + options + node.files.sorted().map { line("-F", " \($0)") }
    }
}
