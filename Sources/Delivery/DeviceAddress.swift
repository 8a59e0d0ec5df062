/// The address of a device as an app registers it, checked for what sending to it needs. An address that cannot be sent
/// to must not replace a good one.
public enum DeviceAddress {
    /// The address cannot be sent to.
    public struct Refusal: Error {
        /// The member at fault, such as `keys.auth`.
        public let field: String
        /// The requirement, worded to follow the field's name.
        public let message: String
    }

    /// The longest address in bytes. The URL of a push subscription has some 200, an APNs token 64.
    public static let longest = 1000

    /// Checks the token of an iPhone.
    ///
    /// - Throws: ``Refusal``.
    public static func checkAPNs(token: String) throws(Refusal) {
        guard APNsChannel.isToken(token) else {
            throw Refusal(field: "token", message: "must be an APNs token: up to 100 bytes in hexadecimal")
        }
    }

    /// Checks a browser's push subscription, and returns its URL and keys as they are to be stored.
    ///
    /// - Throws: ``Refusal``.
    public static func checkWebPush(
        endpoint: String, keys: WebPushKeys
    ) throws(Refusal) -> (endpoint: String, keys: WebPushKeys) {
        let url: OutboundURL
        do throws(OutboundURL.Refusal) {
            url = try OutboundURL(endpoint, atMost: longest)
        } catch {
            throw Refusal(field: "token", message: error.message)
        }
        do throws(WebPushKeys.Refusal) {
            return (url.text, try keys.checked())
        } catch {
            throw Refusal(field: "keys.\(error.member)", message: error.message)
        }
    }
}
