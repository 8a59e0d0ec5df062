internal import Foundation

extension CompletionTree {
    /// The completion for zsh, which is loaded as `_kith` from a folder of `fpath`.
    var zsh: String {
        """
        #compdef kith
        # Completion of kith for zsh, made by `kith completion zsh`.
        _kith() {
            local at="" word
            local -i seen=0 i
            local -a choices options
            for ((i = 2; i < CURRENT; i++)); do
                word=${words[i]}
                case $word in
                    (\(optionsWithValue.joined(separator: "|"))) ((i++)) ;;
                    (-*) ;;
                    (*)
                        case "$at $word" in
                            (\(steps.map { "\"\($0)\"" }.joined(separator: "|"))) at="${at:+$at }$word" ;;
                            (*) seen+=1 ;;
                        esac
                        ;;
                esac
            done
            case ${words[CURRENT - 1]} in
                \(optionChoices.map { "(\($0.option)) compadd -- \($0.values.joined(separator: " ")); return ;;" }.joined(separator: "\n        "))
                (\(fileOptions.joined(separator: "|"))) _files; return ;;
                (\(optionsWithOtherValue.joined(separator: "|"))) return 1 ;;
            esac
            case "$at:$seen" in
                (\(filePositions.map { "\"\($0.path):\($0.position)\"" }.joined(separator: "|"))) _files ;;
            esac
            case $at in
        \(nodes.map(Self.zshCase).joined(separator: "\n"))
            esac
            (( $#choices )) && _describe command choices
            (( $#options )) && compadd -- $options
        }
        # When it is loaded from fpath, this file is the function; when it is sourced, it names it.
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _kith "$@"; else compdef _kith kith; fi
        """
    }

    private static func zshCase(_ node: Node) -> String {
        let choices = node.subcommands.map { word in
            let entry = word.summary.isEmpty ? word.text : "\(word.text):\(word.summary)"
            return "'\(entry.replacingOccurrences(of: "'", with: #"'\''"#))'"
        }
        let options = node.options.map(\.name).joined(separator: " ")
        return "        (\"\(node.path)\") choices=(\(choices.joined(separator: " "))) options=(\(options)) ;;"
    }
}
