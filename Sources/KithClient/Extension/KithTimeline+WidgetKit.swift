#if canImport(WidgetKit)
    public import WidgetKit

    extension KithTimeline.Entry: TimelineEntry {}

    extension KithTimeline {
        /// The timeline as a provider hands it to WidgetKit.
        public var timeline: Timeline<Entry> { Timeline(entries: entries, policy: .after(reloadsAt)) }
    }
#endif
