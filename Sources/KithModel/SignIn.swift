/// The result of a sign-in, and of each refresh.
public struct SignIn: Codable, Sendable {
    /// The access token, for `Authorization: Bearer`.
    public var accessToken: String
    /// The refresh token. It can be used once; store it where only the app can read it.
    public var refreshToken: String
    /// The scheme of the access token: `Bearer`.
    public var tokenType: String
    /// Seconds until the access token expires.
    public var expiresIn: Int
    /// The user who signed in.
    public var user: User

    private enum CodingKeys: String, CodingKey {
        case user
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }
}
