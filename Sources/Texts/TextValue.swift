/// A value for a placeholder of a text.
package enum TextValue: Sendable, Hashable {
    /// The name of a person, a vault or a brand. Plain texts isolate its direction of writing where it differs from
    /// theirs.
    case name(String)
    /// Text that is inserted unchanged: a code, an address, another text of the catalogue.
    case words(String)
    /// A whole number. As `count` it decides the plural form.
    case number(Int)
    /// A date, worded in a year: without the year if the language leaves out the present one.
    case date(CalendarDate, thisYear: Int? = nil)
    /// The time of day of a local time.
    case time(LocalTime)
    /// A local time with its date, worded in a year.
    case dateTime(LocalTime, thisYear: Int? = nil)
}
