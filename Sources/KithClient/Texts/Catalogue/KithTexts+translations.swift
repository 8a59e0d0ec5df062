// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// The languages of the catalogue beside English, a variant after its base.
    static let translations: [KithTexts] = [
        KithTexts(language: "de", texts: textsDe) { number in
            number == 1 ? .one : .other
        },
        KithTexts(language: "de-informal", texts: textsDe.merging(textsDeInformal) { $1 }) { number in
            number == 1 ? .one : .other
        },
    ]
}
