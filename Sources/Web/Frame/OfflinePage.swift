internal import Pages

/// The page that a browser shows without a network. It has no personal contents: it only lets the person who was signed
/// in last say that they are safe, and keeps that on the device until the network returns.
package enum OfflinePage {
    /// The path of the page.
    package static let path = "/offline"

    /// The page for a visit that is offline.
    package static func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let body: HTML = """
            <h1>\(words("web.offline.heading"))</h1>
            <p class="lead">\(words("web.offline.text"))</p>
            <form id="offline-check-in" method="post" action="\(TodayScreen.path)" hidden>
            <button class="button main big" name="\(FormFields.act)" value="safe">\(words("web.today.safe"))</button>
            <p class="hint">\(words("web.offline.hint"))</p>
            </form>
            <p><a class="inline" href="\(TodayScreen.path)">\(words("web.offline.again"))</a></p>

            """
        return ScreenPage(title: words("web.offline.heading"), body: body)
    }
}
