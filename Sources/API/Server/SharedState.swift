internal import Identity
internal import LiveEvents
internal import Requests

/// What the event loops of one server share. Its limits are exact: whichever loop a connection comes to, its requests
/// count towards the same ones.
public final class SharedState: Sendable {
    /// The rates of requests.
    let rates: Limits
    /// The concurrent requests of a user.
    let userRequests = ConcurrencyLimiter(limit: 4, queueLimit: 256, timeout: .seconds(2))
    /// An import in one transaction runs thousands of statements. Two at once would take both processors from everybody
    /// else.
    let imports = ConcurrencyLimiter(limit: 1, queueLimit: 8, timeout: .seconds(10))
    let exports = InFlightLimit(
        most: 2, refusal: "Your data is being exported already. Please wait until that is done.")
    let uploads = InFlightLimit(
        most: 4, refusal: "You are uploading 4 documents already. Please wait for one of them.")
    let fileForms = InFlightLimit(
        most: 1, refusal: "You are sending files already. Please wait until that is done.")
    let downloads = InFlightLimit(
        most: 16, refusal: "You are downloading 16 documents already. Please wait for one of them.")
    let streams: StreamLimits
    /// Sign-ins, users and secret keys that end.
    let signOuts = SignOuts()
    /// The credentials that any loop has checked.
    let credentials = CredentialCache()
    /// How new the map of cells is.
    let currency: MapCurrency

    /// Creates the state of a new server of `configuration`.
    public init(_ configuration: APIConfiguration) {
        rates = Limits(configuration)
        streams = StreamLimits(most: configuration.streams, mostFromAddress: configuration.addressStreams)
        currency = MapCurrency()
    }

    /// Creates the state of the same server for another cell. Rates and streams count for all cells together. What
    /// waits for a database does not, so that a cell that is slow holds up nobody in another one.
    public init(sharing other: SharedState) {
        rates = other.rates
        streams = other.streams
        currency = other.currency
    }
}
