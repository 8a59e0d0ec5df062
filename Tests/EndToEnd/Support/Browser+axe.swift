import Foundation

extension Browser {
    /// The serious and critical accessibility violations that axe-core finds on the page: the rule and the first
    /// element. Contrast, which axe-core takes longest for, is measured by ``lowestContrast``.
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

    /// All accessibility violations that axe-core finds on the page, of any impact, contrast included.
    func findings() throws -> [String] {
        let found: String = try evaluate(
            """
            \(Self.axe.get());
            return axe.run(document, {resultTypes: ['violations'], preload: false}).then(result => result.violations
              .map(violation => violation.id + ': ' + violation.nodes[0].html).join('\\n'))
            """)
        return found.split(separator: "\n").map(String.init)
    }

    /// The script, read once.
    private static let axe = Result { () throws -> String in
        let path = try Tool.run(Tool.tests.appending(path: "Accessibility/run"), []).output
        return try String(contentsOfFile: path.split(separator: "\n").joined(), encoding: .utf8)
    }
}
