internal import HTTP
internal import Problems
internal import Web

extension Endpoint {
    /// The pages and files of the web client.
    static let site: [Endpoint] =
        [
            page(.get, "/", .front), page(.get, SignInPage.path, .signIn),
            page(.post, SignInPage.path, .signIn, triesOneTimeCodes: true),
            page(.get, SignInLinkPage.path + "{token}", .signInLink),
            page(.post, SignInLinkPage.path + "{token}", .signInLink),
            page(.get, Asset.folder + "{name}", .asset),
            page(.get, "/worker.js", .worker), page(.get, "/manifest.webmanifest", .manifest),
            page(.get, OfflinePage.path, .offline), page(.get, Place.path, .place),
            page(.get, DeskPage.path, .desk), page(.post, DeskPage.path, .desk),
            page(.get, DeskPage.path + "/{id}", .desk), page(.post, DeskPage.path + "/{id}", .desk),
            page(.get, "/live/session", .liveSession, holdsSecret: true), page(.get, "/live/events", .liveEvents),
        ]
        + Site.screens.flatMap { screen in
            [HTTPMethod.get, .post].map { method in
                page(
                    method, screen.path, .screen(screen), holdsSecret: screen.holdsSecret,
                    takesFiles: method == .post && screen.files != nil)
            }
        }
        + Site.files.map { file in page(.get, file.path, .download(file.call)) }
        + SiteFile.all.map { page(.get, $0.path, .file($0)) }

    /// The largest form in bytes. Percent-encoding triples what a person types in another script.
    private static let largestForm = 64 << 10

    private static func page(
        _ method: HTTPMethod, _ path: String, _ route: SiteRoute, holdsSecret: Bool = false,
        triesOneTimeCodes: Bool = false, takesFiles: Bool = false
    ) -> Endpoint {
        let isForgiving = method == .post && path == HelpScreen.path
        let isForSafety = method == .post && [TodayScreen.path, HelpScreen.path].contains(path)
        // The form that calls for help is cut off at the size that is accepted whatever others send at the same time.
        let maximumBody = isForgiving ? usualBody : takesFiles ? FileForm.maximum : largestForm
        return Endpoint(
            operationID: "", method: method, path: path, caller: .open, work: .site(route), summary: "", area: "",
            bodyType: takesFiles ? .files : .form, isForgiving: isForgiving, maximumBody: maximumBody,
            answerType: .html, answerHoldsSecret: holdsSecret,
            triesOneTimeCodes: triesOneTimeCodes, urgency: isForSafety ? .safety : .ordinary)
    }
}

/// The destination of a path of the web client.
enum SiteRoute: Sendable {
    /// The first page of the site, for people who are not signed in.
    case front
    case signIn
    /// A link by which the tenant's server signs somebody in.
    case signInLink
    case screen(ScreenRoute)
    /// The page about something that a notification names.
    case place
    /// The answer of a call of the API, as a file.
    case download(@Sendable ([String]) -> APICall)
    /// A file that pages load.
    case asset
    /// A file of the visitor's own.
    case file(SiteFile)
    /// The service worker, and the page that it shows without a network.
    case worker
    case offline
    /// The manifest, with the name and icon for a Home Screen.
    case manifest
    /// The pages of the tenant's desk.
    case desk
    /// Who is signed in, with a new token for a form.
    case liveSession
    /// The events of the person who is signed in, as they happen.
    case liveEvents
}
