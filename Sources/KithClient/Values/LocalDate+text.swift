import Foundation

extension Kith.LocalDate {
    /// The day as the language of the texts writes it.
    func formatted(_ texts: KithTexts) -> String {
        let midnight = Date(timeIntervalSince1970: TimeInterval(daysSince1970 * 86400))
        var style = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: texts.language))
        style.timeZone = .gmt
        return midnight.formatted(style)
    }
}
