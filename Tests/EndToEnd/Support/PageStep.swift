import Foundation
import Testing

/// Commands of a page of the documentation, and the lines that they print: a comment below a command is what it prints.
struct PageStep {
    var commands: String
    var prints: [String]

    /// The steps of a chapter or a section of a page.
    static func steps(in page: String, of title: String) throws -> [PageStep] {
        let text = try String(contentsOf: Tool.tests.deletingLastPathComponent().appending(path: page), encoding: .utf8)
        let chapter = try #require(
            text.replacing("\n### ", with: "\n## ").components(separatedBy: "\n## ").first { $0.hasPrefix(title) },
            "\(page) has no chapter \(title)")
        var steps: [PageStep] = []
        for block in chapter.components(separatedBy: "```sh\n").dropFirst() {
            var begins = true
            for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                let isOutput = line.hasPrefix("# ") && !line.hasPrefix("# call ")
                if isOutput {
                    steps[steps.count - 1].prints.append(String(line.dropFirst(2)))
                } else if begins || !steps[steps.count - 1].prints.isEmpty {
                    steps.append(PageStep(commands: String(line), prints: []))
                } else {
                    steps[steps.count - 1].commands += "\n" + line
                }
                begins = false
            }
        }
        return steps
    }

    /// The same step with other texts in its commands and its lines.
    func replacing(_ texts: [(String, String)]) -> PageStep {
        func replaced(_ text: String) -> String { texts.reduce(text) { $0.replacing($1.0, with: $1.1) } }
        return PageStep(commands: replaced(commands), prints: prints.map(replaced))
    }

    /// Expects the lines in what was printed. Events may come in another order, so lines are found wherever they are.
    func check(_ printed: String) {
        let lines = printed.split(separator: "\n")
        for expected in prints {
            #expect(lines.contains { Self.matches(String($0), expected) }, "\(commands)\nprinted: \(printed)")
        }
    }

    /// Whether a line is what the page says, in which `…` stands for anything.
    private static func matches(_ line: String, _ expected: String) -> Bool {
        let pattern = expected.components(separatedBy: "…").map(NSRegularExpression.escapedPattern).joined(
            separator: ".*")
        return line.range(of: "^\(pattern)$", options: .regularExpression) != nil
    }
}
