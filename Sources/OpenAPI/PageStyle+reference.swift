package import Pages

extension PageStyle {
    /// The style of the API reference. On a wide screen, the contents are beside the calls.
    package static let reference = PageStyle(
        """
        \(plain.sheet)\
        main{max-width:76rem}\
        h2{font-size:1.5rem;color:var(--text);margin:2.5rem 0 1rem}\
        h3{font-size:1.0625rem;margin:0 0 .5rem;font-weight:600}\
        h3 a{color:inherit;text-decoration:none}\
        h4{font-size:.875rem;margin:1rem 0 .25rem;color:var(--quiet)}\
        p{margin:0 0 .5rem;max-width:44rem}\
        code,pre{font:.9375em/1.45 ui-monospace,monospace}\
        pre{background:var(--ground);border-radius:.5rem;padding:.75rem;margin:.5rem 0 0;white-space:pre-wrap}\
        nav{background:var(--panel);border-radius:1rem;padding:.75rem 1rem;margin:1.5rem 0;font-size:.9375rem}\
        nav a{display:block;padding:.375rem 0}\
        nav summary{padding:.375rem 0;color:var(--accent)}\
        nav ul{list-style:none;padding:0;margin:0 0 .5rem}\
        nav li{margin:0}\
        summary{cursor:pointer}\
        article details{margin:.5rem 0 0;font-size:.9375rem}\
        article{background:var(--panel);border-radius:1rem;padding:1rem;margin:0 0 1rem;scroll-margin-top:1rem}\
        .method{font:700 .8125rem ui-monospace,monospace;color:var(--accent)}\
        dl{margin:0}\
        dl>div{margin:.375rem 0 0}\
        dt,dd.type{display:inline}\
        dt:target{outline:3px solid var(--accent);outline-offset:3px}\
        dt span{color:var(--quiet);font-size:.9375rem}\
        dd{margin:0 0 0 1rem;font-size:.9375rem}\
        dd.type{margin:0;color:var(--quiet)}\
        summary:focus-visible{outline:3px solid var(--text);outline-offset:3px}\
        @media (min-width:60rem){main{display:grid;grid-template-columns:20rem minmax(0,1fr);column-gap:2.5rem}\
        header{grid-column:1/-1}\
        nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}}
        """)
}
