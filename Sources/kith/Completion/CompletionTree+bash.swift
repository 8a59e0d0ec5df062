extension CompletionTree {
    /// The completion for bash, which is loaded from `/usr/share/bash-completion/completions/kith`.
    var bash: String {
        """
        # Completion of kith for bash, made by `kith completion bash`.
        _kith() {
            local at="" word choices="" files="" i
            local -i seen=0
            for ((i = 1; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                case $word in
                    \(optionsWithValue.joined(separator: " | ")))
                        # Bash makes a word of its own of the sign in --name=value.
                        [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
                        ((i++))
                        ;;
                    -*) ;;
                    *)
                        case "$at $word" in
                            \(steps.map { "\"\($0)\"" }.joined(separator: " | "))) at="${at:+$at }$word" ;;
                            *) seen+=1 ;;
                        esac
                        ;;
                esac
            done
            word=${COMP_WORDS[COMP_CWORD]}
            local before=${COMP_WORDS[COMP_CWORD - 1]}
            [[ $word == "=" ]] && word=""
            [[ $before == "=" ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
            case $before in
                \(optionChoices.map { "\($0.option)) choices=\"\($0.values.joined(separator: " "))\" ;;" }.joined(separator: "\n        "))
                \(fileOptions.joined(separator: " | "))) files=yes ;;
                \(optionsWithOtherValue.joined(separator: " | "))) return ;;
                *)
                    case $at in
        \(nodes.map { "                \"\($0.path)\") choices=\"\(Self.choices($0))\" ;;" }.joined(separator: "\n"))
                    esac
                    case "$at:$seen" in
                        \(filePositions.map { "\"\($0.path):\($0.position)\"" }.joined(separator: " | "))) files=yes ;;
                    esac
                    ;;
            esac
            mapfile -t COMPREPLY < <(compgen ${files:+-f} ${choices:+-W "$choices"} -- "$word")
            [[ -z $files ]] || compopt -o filenames 2>/dev/null
        }
        complete -F _kith kith
        """
    }

    /// The nodes at which an argument is the path of a file, and the position of the argument.
    var filePositions: [(path: String, position: Int)] {
        nodes.flatMap { node in node.files.sorted().map { (node.path, $0) } }
    }

    private static func choices(_ node: Node) -> String {
        (node.subcommands.map(\.text) + node.options.map(\.name)).joined(separator: " ")
    }
}
