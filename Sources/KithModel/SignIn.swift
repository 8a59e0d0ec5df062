/// What a sign-in gives, and each refresh of it.
public struct SignIn: Codable, Sendable {
    /// What goes into `Authorization: Bearer`.
    public var accessToken: String
    /// Good for one use; keep it where only the app can read it.
    public var refreshToken: String
    /// Seconds until the access token ends.
    public var expiresIn: Int
    /// Who signed in.
    public var user: User

    private enum CodingKeys: String, CodingKey {
        case user
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}
