// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// The languages of the catalogue beside English, a variant after its base.
    static let translations: [KithTexts] = [
        KithTexts(language: "ar", texts: textsAr) { number in
            number == 0 ? .zero : number == 1 ? .one : number == 2 ? .two : (3...10).contains(number % 100) ? .few : (11...99).contains(number % 100) ? .many : .other
        },
        KithTexts(language: "de", texts: textsDe) { number in
            number == 1 ? .one : .other
        },
        KithTexts(language: "es", texts: textsEs) { number in
            number == 1 ? .one : .other
        },
        KithTexts(language: "de-informal", texts: textsDe.merging(textsDeInformal) { $1 }) { number in
            number == 1 ? .one : .other
        },
    ]
}
