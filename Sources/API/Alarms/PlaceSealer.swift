internal import Crypto
internal import JSON
internal import Logging
internal import Requests

/// Seals where a person is before the database gets it (K08), so that neither its tables nor its logs have a place that
/// can be read.
struct PlaceSealer {
    /// The table of the database, to whose rows the keys are bound.
    static let table = "places"

    let caller: Caller?
    let masterKey: MasterKey

    /// Seals a valid ``JSONComponent/place``.
    ///
    /// - Returns: What `internal.keep_place` takes: the place under a new key, and when the device was there. Nil for
    ///   null, and if it cannot be sealed: a check-in or a call for help goes on without its place.
    func sealed(_ place: JSONValue) -> [UInt8]? {
        guard let caller, let latitude = place["latitude"]?.number, let longitude = place["longitude"]?.number,
            let at = place["at"]?.string
        else { return nil }
        var clear = JSONWriter()
        clear.object { json in
            // The shortest text that reads as the same number.
            json.field("latitude", json: Array(String(latitude).utf8))
            json.field("longitude", json: Array(String(longitude).utf8))
            if let accuracy = place["accuracy_meters"]?.number {
                json.field("accuracy_meters", json: Array(String(accuracy).utf8))
            }
            json.field("at", at)
        }
        do throws(CryptoError) {
            let key = PersonalKey.generate(table: Self.table, tenant: caller.tenantID, user: caller.user)
            let (wrapped, sealed) = (try key.wrapped(with: masterKey), try key.seal(clear.bytes))
            var json = JSONWriter()
            json.object { json in
                json.field("sealed_key", Hex.encode(wrapped))
                json.field("sealed", Hex.encode(sealed))
                json.field("at", at)
            }
            return json.bytes
        } catch {
            Log.error("a place cannot be sealed", ["reason": "\(error)"])
            return nil
        }
    }
}
