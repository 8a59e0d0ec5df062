extension HTML {
    /// The pieces one after the other, with `separator` between them.
    package static func joined(_ pieces: [HTML], by separator: HTML = "") -> HTML {
        var all: HTML = ""
        for (index, piece) in pieces.enumerated() {
            if index > 0 { all += separator }
            all += piece
        }
        return all
    }
}

extension HTML {
    package static func + (first: HTML, second: HTML) -> HTML {
        var all = first
        all += second
        return all
    }
}
