internal import Pages

/// The screens of the web client.
package enum Site {
    /// Every screen. The server routes by their paths.
    package static let screens: [ScreenRoute] = [
        ScreenRoute(TodayScreen.self),

        ScreenRoute(PeopleScreen.self), ScreenRoute(MorePeopleScreen.self), ScreenRoute(ConnectScreen.self),
        ScreenRoute(InviteScreen.self), ScreenRoute(InvitationScreen.self), ScreenRoute(CodesScreen.self),
        ScreenRoute(ConnectionScreen.self), ScreenRoute(PauseScreen.self), ScreenRoute(RemoveScreen.self),
        ScreenRoute(BlockScreen.self),

        ScreenRoute(MessagesScreen.self),

        ScreenRoute(MeScreen.self), ScreenRoute(SenderScreen.self), ScreenRoute(ReceiverScreen.self),
        ScreenRoute(BreakScreen.self), ScreenRoute(QuietHoursScreen.self), ScreenRoute(ProfileScreen.self),
        ScreenRoute(ContactsScreen.self), ScreenRoute(PreferencesScreen.self), ScreenRoute(DevicesScreen.self),
        ScreenRoute(BlocksScreen.self), ScreenRoute(DeleteAccountScreen.self), ScreenRoute(FeedbackScreen.self),
        ScreenRoute(ThingsScreen.self), ScreenRoute(RemoveThingScreen.self), ScreenRoute(RemindersScreen.self),

        ScreenRoute(AlarmsScreen.self), ScreenRoute(AlarmScreen.self), ScreenRoute(EndAlarmScreen.self),
        ScreenRoute(AlarmCardScreen.self), ScreenRoute(HelpScreen.self), ScreenRoute(EndCallScreen.self),
        ScreenRoute(AlarmPlanScreen.self),
        ScreenRoute(DrillScreen.self), ScreenRoute(CareCardScreen.self), ScreenRoute(ContactCardScreen.self),
        ScreenRoute(AskScreen.self),

        ScreenRoute(VaultsScreen.self), ScreenRoute(NewVaultScreen.self), ScreenRoute(DeletedVaultsScreen.self),
        ScreenRoute(VaultScreen.self), ScreenRoute(VaultSettingsScreen.self), ScreenRoute(DeleteVaultScreen.self),
        ScreenRoute(UploadScreen.self), ScreenRoute(DocumentScreen.self), ScreenRoute(ReplaceDocumentScreen.self),
        ScreenRoute(DeleteDocumentScreen.self), ScreenRoute(DeletedDocumentsScreen.self),
        ScreenRoute(NomineesScreen.self), ScreenRoute(InviteNomineeScreen.self), ScreenRoute(InviteSeveralScreen.self),
        ScreenRoute(NomineeScreen.self),
        ScreenRoute(RemoveNomineeScreen.self), ScreenRoute(ChatScreen.self), ScreenRoute(InvitationsScreen.self),
        ScreenRoute(TokenInvitationScreen.self), ScreenRoute(HistoryScreen.self), ScreenRoute(TransferScreen.self),
        ScreenRoute(SharesScreen.self), ScreenRoute(EndShareScreen.self), ScreenRoute(EmergencyOverviewScreen.self),
        ScreenRoute(VaultEmergencyScreen.self), ScreenRoute(AskForEmergencyScreen.self),
        ScreenRoute(ApproveEmergencyScreen.self), ScreenRoute(EmergencySettingsScreen.self),
        ScreenRoute(EndEmergencyScreen.self), ScreenRoute(QuorumScreen.self), ScreenRoute(RehearsalScreen.self),
    ]

    /// The files that pages offer: their paths, and the calls of the API whose answers they are.
    package static let files: [(path: String, call: @Sendable ([String]) -> APICall)] = [
        ("/me/export", { _ in .get("/v1/me/export") })
    ]

    /// The address of the page that says whether the server watches, for the people of a tenant.
    static func status(of tenant: String?) -> String {
        Page.statusPath + (tenant.map { "?t=\(APICall.segment($0))" } ?? "")
    }

    /// Where a person goes after signing in.
    package static let home = TodayScreen.path
}
