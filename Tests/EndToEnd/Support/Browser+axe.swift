import Foundation

extension Browser {
    /// The serious and critical accessibility violations that axe-core finds on the page: the rule and the first element. Contrast,
    /// which axe-core takes longest for, is measured by ``lowestContrast``.
    func barriers() throws -> [String] {
        let found: String = try evaluate(
            """
            \(Self.axe.get());
            return axe.run(document, {resultTypes: ['violations'], preload: false, rules: {'color-contrast': {enabled: false}}}).then(result => result.violations
              .filter(violation => ['serious', 'critical'].includes(violation.impact))
              .map(violation => violation.id + ': ' + violation.nodes[0].html).join('\\n'))
            """)
        return found.split(separator: "\n").map(String.init)
    }

    /// The script, read once.
    private static let axe = Result { () throws -> String in
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Accessibility/run")
        process.standardOutput = output
        try process.run()
        let path = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return try String(contentsOfFile: path.split(separator: "\n").joined(), encoding: .utf8)
    }
}
