package import Problems

extension Problem {
    /// The text of the problem for people.
    package func text(in words: Words) -> String {
        detailForPerson ?? detail ?? words("problem.\(code.rawValue).detail")
    }
}
