package import JSON

extension JSONComponent {
    /// What the value is, in one or two sentences: the `description` of the schema, and the documentation of the client
    /// library's type.
    package var summary: String {
        if let summary = Self.summaries[name] { return summary }
        for (suffix, describe) in Self.families where name.hasSuffix(suffix) && name != suffix {
            return describe(String(name.dropLast(suffix.count)))
        }
        return ""
    }

    /// The schemas that are made for every list, body and type of event. Their names have the ending of their family.
    private static let families: [(suffix: String, describe: @Sendable (String) -> String)] = [
        ("Page", { "A page of a list. The type of its items is \($0)." }),
        ("Request", { "The body of a request: \($0.prefix(1).lowercased() + $0.dropFirst())." }),
        ("StreamEvent", { "An event of a user's stream whose data is \($0)EventData." }),
        ("WebhookEvent", { "An event of a webhook whose data is \($0)EventData." }),
        (
            "EventData",
            { "The data of an event of the type \($0): the thing as its own call returns it, or that it is gone." }
        ),
    ]

    /// The descriptions by the name of the schema. A test checks that every schema has one.
    private static let summaries: [String: String] = [
        "APIKey": "A secret API key of the tenant's server, without the secret.",
        "AcceptedInvitation":
            "The answer to an accepted invitation: the vault, and for a nominee the access that the invitation gives.",
        "AcceptedVault": "The vault of an accepted invitation.",
        "AccessLevel":
            """
        What a nominee may do in an open vault: view reads, edit also adds and changes documents, full also \
        deletes and restores them. The order is ascending.
        """,
        "AccessToken": "An access token that the tenant's server made for a user.",
        "Alarm": "An alarm about a sender, as one of the people in it sees it.",
        "AlarmChange": "The latest change of an alarm.",
        "AlarmChannel": "A way in which somebody is told of an alarm.",
        "AlarmKind":
            """
        What opened an alarm: missed (no check-in by the deadline), help (a call for help), unanswered (no \
        answer to a question), or drill.
        """,
        "AlarmLine": "An entry in an alarm's timeline.",
        "AlarmLineKind": "The kind of an entry in an alarm's timeline.",
        "AlarmLinkAction": "The button of the page of a link about an alarm that was pressed.",
        "AlarmOutcome":
            """
        How an alarm ended: checked_in (the sender checked in), safe (somebody reached the sender), help_called \
        (somebody called for help), false_alarm (the sender said so), or expired.
        """,
        "AlarmPerson": "A person in an alarm, as its reader knows them.",
        "AlarmPlan": "A sender's plan for alarms: who is told when, and how often.",
        "AlarmRehearsal":
            "Whom a sender's plan would tell if they did not check in and nobody acted. Nothing of it is stored.",
        "AlarmRole":
            "The part that the reader has in an alarm: its sender, a receiver who was told, or the tenant's desk.",
        "AlarmStatus":
            "The status of an alarm: open has nobody looking after it, taken has somebody, resolved is over.",
        "AlarmStep": "A step of the rehearsal of a plan for alarms.",
        "AlarmStepKind": "The kind of a step in the rehearsal of a plan for alarms.",
        "AlarmTaker": "The person who has taken an alarm, as the caller knows them.",
        "AlarmTier": "A tier of a plan for alarms: the people who are told together.",
        "AlarmUndeliveredEventData": "An alarm that no channel delivered.",
        "AppSiteAssociation": "The file by which Apple's devices open the tenant's links in its app.",
        "Ask": "A receiver's question \"Are you OK?\" to a sender.",
        "AwaitedConfirmation":
            "A person who has accepted an invitation to one of my vaults and waits for my confirmation.",
        "Block": "A user whom I have blocked. We cannot connect.",
        "BlockVault": "A vault that a blocked person and I still share.",
        "Break": "Days on which a sender has no pings.",
        "CalledAlarm": "The alarm of a call for help, with advice if nobody could be told.",
        "CareCard": "What somebody who goes to look for a sender should know, and where the sender was last.",
        "CareCardView": "A view of a care card without an alarm.",
        "CareSection": "A section of a care card.",
        "ChangedAlarm": "An alarm in an event, with what has just happened to it.",
        "Channel":
            """
        A channel by which the tenant sends: its provider's settings, without secrets, and the state of its last \
        tries.
        """,
        "ChannelName": "A channel by which the tenant sends.",
        "CheckIn": "What a check-in has done.",
        "CheckInSource":
            """
        How a check-in came: app, web (the web client), link (in a message), sms (an answer to one), voice (a \
        call), or sign (a thing).
        """,
        "Code": "A code by which another person connects to its owner.",
        "CodePreview": "Whom a code connects to, before connecting.",
        "Connection": "A connection between a sender and a receiver, as one of the two sees it.",
        "ConnectionInvitation": "An invitation to connect, with the message and one result for each recipient.",
        "ConnectionInvitationSummary": "An invitation to connect in a list, with the number of its recipients.",
        "ConnectionStatus":
            """
        The status of a connection: pending waits for consent, active has daily pings, paused has none, deleted \
        has been removed.
        """,
        "ConnectionTest": "A test message of a sender to a receiver, and whether it reached them.",
        "ConsentSide": "The side whose consent a pending connection waits for.",
        "Conversation":
            """
        My conversation with a vault's owner, or as an owner with one of the vault's nominees, with its newest \
        message.
        """,
        "Dashboard": "My connections in one role with today's pings.",
        "DashboardOrder":
            "The order of a dashboard: missed puts connections with a missed ping first, connection goes by age.",
        "DeclinedInvitation": "The answer to a declined invitation.",
        "DeliveryStatus":
            """
        The delivery of a notification outside the app: queued waits, sent was accepted by a provider, failed \
        was not, dropped was not meant to be sent.
        """,
        "DeskOutcome": "The outcome of an alarm that the tenant's desk can state.",
        "Device": "A device that gets my push notifications.",
        "DeviceEnvironment": "The environment of Apple's push service that issued a device's token.",
        "DevicePlatform": "The platform of a device: ios for APNs, web for Web Push.",
        "Document": "A document of a vault, without its content.",
        "EmailEncryption": "How the connection to a mail server is encrypted.",
        "EmergencyAccessLevel": "The access level that emergency access can give, in ascending order.",
        "EmergencyCause": "The cause of a request for emergency access: a nominee asked, or the owner fell silent.",
        "EmergencyDelay": "A time by which a wait for emergency access became longer, and why.",
        "EmergencyDelayCause": "Why a wait for emergency access became longer.",
        "EmergencyQuorum": "The number of nominees who must ask before a wait for emergency access begins.",
        "EmergencyRehearsal": "The steps that follow if an owner falls silent. Nothing of it is stored.",
        "EmergencyRequest": "A request for emergency access to a vault.",
        "EmergencySettings": "The emergency access that an owner gives to a nominee.",
        "EmergencyStatus":
            """
        The status of a request for emergency access: gathering waits for a quorum, waiting for the end of the \
        wait, granted gives access, and ended, rejected and withdrawn are final.
        """,
        "EmergencyStep": "A step of a rehearsal.",
        "EmergencyStepKind": "The kind of a rehearsal's step.",
        "EmergencyTerms": "Emergency access as its owner shows it to the nominee.",
        "EventType": "A type of event that a webhook can select.",
        "Export": "Everything that Kith stores about the caller.",
        "Feedback": "A person's feedback about invitations, shares or the app.",
        "FeedbackTopic": "The subject of feedback.",
        "FieldError": "An invalid part of a request.",
        "GivenEmergencyRight": "Emergency access that I have given, with its nominee and its open request.",
        "Gone": "A thing that is gone, or that the user may no longer see. Remove it from the screen.",
        "GoneFromConnection":
            "A thing of a connection that is gone, or that the user may no longer see. Remove it from the screen.",
        "GoneFromNominee":
            "A thing of a nominee that is gone, or that the user may no longer see. Remove it from the screen.",
        "GoneFromVault":
            "A thing of a vault that is gone, or that the user may no longer see. Remove it from the screen.",
        "FirstSteps": "What somebody new has done, and still has to do.",
        "Home": "Everything that the first screen of an app shows.",
        "IdentifiedConversation": "A conversation in an event. Its id is the nominee's.",
        "ImportItem":
            "A line of an import. Things that it names must be on an earlier line, or have been imported before.",
        "ImportResult": "The result of one line of an import.",
        "ImportedCode": "A code that people already use elsewhere.",
        "ImportedConnection": "A connection that exists elsewhere.",
        "ImportedNominee": "A nominee who exists elsewhere.",
        "ImportedReceiverProfile": "The profile that makes an imported user a receiver.",
        "ImportedSenderProfile": "The profile that makes an imported user a sender.",
        "ImportedSubscription": "A receiver's subscription that exists elsewhere.",
        "ImportedUser": "A user who exists elsewhere.",
        "ImportedVault": "A vault that exists elsewhere.",
        "InvitationCard": "The card of an invitation in a conversation of the phone's messages.",
        "InvitationChannel": "The way in which an invitation was sent.",
        "InvitationCount": "The number of invitations by channel and outcome.",
        "InvitationDraft": "The vault for which a message extension is to make an invitation. It is read once.",
        "CheckInLinkAction": "The button of a check-in link's page that was pressed.",
        "InboundSMSSettings": "How a provider signs the text messages that it forwards, and how it names their parts.",
        "InboundVoiceSettings": "How a provider signs its reports of phone calls, and how it names their parts.",
        "InboundSignature": "How a provider proves that it forwards an answer.",
        "Telling": "How a receiver is told of a missed ping.",
        "InvitationFormAction": "The answer of a page's form to an invitation.",
        "InvitationKind": "What an invitation offers: access as a nominee, or the ownership of a vault.",
        "InvitationOutcome": "The outcome that a message composer reports.",
        "InvitationPreview": "An invitation as the holder of its link sees it before signing in.",
        "InvitationRecipient": "A person who was invited to connect.",
        "InvitationState": "The state of an invitation.",
        "InvitedNominee": "A nominee with the invitation that was made for them.",
        "Invitee": "One of several people to invite.",
        "InviteeResult": "The result of inviting one of several people.",
        "JWKSet": "A key set (RFC 7517).",
        "JWTKey": "A public key by which the tenant signs its users' tokens.",
        "KeyScope": "What a secret key may do.",
        "LastSign": "The newest activity that a sender's thing has reported, as a receiver sees it.",
        "LiveConnectionStatus": "The status of a connection that has not been removed.",
        "Liveness": "That the process answers.",
        "LockReason": "Why a vault's session ended.",
        "LockedDocument": "A document of a vault that has been locked since the document changed.",
        "MissedPingResolution":
            "Who ended the alarm of a miss that still stands, and how: the sender has given no sign of life since.",
        "Message": "A message between a vault's owner and a nominee.",
        "NewAPIKey": "A new secret API key with its secret, which is shown only once.",
        "NewAlarmPlan": "A plan for alarms to set. What is left out takes its default.",
        "NewAlarmTier": "A tier of a plan for alarms to set.",
        "NewEmergencySettings": "The emergency access to give to a nominee.",
        "NewRecipient": "A person to invite.",
        "NewSign": "A thing that can report, with its secret address, which is shown only once.",
        "NewUser": "A user to create, or to update if one with this external_id exists.",
        "NewWebhook": "A webhook with its signing secret, which is shown only when it is made.",
        "Nominee": "A person whom a vault's owner has given access.",
        "NomineeCounts": "The number of a vault's nominees by status. Revoked ones are not counted.",
        "NomineeEmergencies": "Emergency access that others have given me, and my requests.",
        "NomineeInvitations": "The result of inviting nominees.",
        "NomineeName": "A nominee with the name that the owner gave them.",
        "NomineeStatus":
            """
        The status of a nominee: pending is invited, accepted waits for the vault to open, active can enter it \
        now, inactive is paused, revoked has ended. Treat an unknown status as pending.
        """,
        "NomineeListPart": "A part of a list of nominees that is returned only on request.",
        "NomineeStatusChange": "A status that an owner can give to a nominee: accepted resumes a paused access.",
        "Notification": "What a person is told, in their language.",
        "NotificationChannel": "A way in which a person is notified.",
        "NotificationPreference": "Whether a person is notified of a type, and by which channels.",
        "NotificationType": "The choices that a person has for a type of notification.",
        "NotificationPreferences": "A person's choices for each type of notification.",
        "NotificationSettings":
            "A person's choices for each type of notification, and whether their phone takes text messages.",
        "Reminder": "A reminder before the deadline of a check-in.",
        "NotificationsReadEventData": "The number of notifications that are still unread.",
        "OfferedTransfer": "An offer of a vault, with the invitation to answer it, which is shown only once.",
        "OneTimeCodeChallenge": "That a one-time code was sent, if the address may get one.",
        "OpenAlarm": "An alarm on the first screen, without its timeline.",
        "OpenAsk": "A question whether I am OK that waits for my check-in.",
        "OpenAPIDocument": "The description of the API in OpenAPI 3.1.",
        "OwnCareCard": "My care card, with the newest views of it without an alarm.",
        "OwnEmergencies": "All emergency access that concerns me, in both roles.",
        "OwnInvitation": "An invitation or an offer of a vault that waits for me.",
        "OwnerEmergencies": "Emergency access to my vaults that I have given, and the requests for it.",
        "ParticipantAcceptanceStatus": "Whether a participant of a CloudKit share has accepted it.",
        "ParticipantPermission": "What a participant of a CloudKit share may do.",
        "ParticipantRole": "The role of a participant of a CloudKit share.",
        "PendingTransfer": "An offer of a vault that waits for its recipient.",
        "PersonName": "A person with the id and the name.",
        "PersonPreview": "A person in a preview, who has no id there.",
        "Ping": "The question of one day whether a sender is safe, for one of their receivers.",
        "PingStatus":
            """
        The status of a ping: scheduled is ahead, due can be answered, completed was answered in time, missed \
        was not, completed_late was answered after its deadline, cancelled needs no answer.
        """,
        "Place": "Where a person is, as their device measured it.",
        "PluralForms": "A text for each of CLDR's plural categories that the language has.",
        "Problem": "A refusal (RFC 9457). Decide by its code.",
        "ProblemCode": "The code of a refusal.",
        "PublicKeyAlgorithm": "The algorithm of a key that can be added. Those with a shared secret cannot.",
        "QuietHours": "The hours in which a person gets no notification that can wait.",
        "Readiness": "Whether the server can do its work, and how far behind it is.",
        "ReceivedEmergencyRight": "Emergency access that somebody has given me.",
        "ReceiverHome": "The part of the first screen for a receiver.",
        "ReceiverProfile": "The profile that makes a user a receiver, with the code and the subscription.",
        "RecipientCounts": "The number of recipients by status. A status that no recipient has is left out.",
        "RecipientStatus": "The status of an invited person.",
        "ResetReason": "The reason why a stream cannot resume.",
        "ResetStreamEventData": "That events were missed. Load everything on the screen again.",
        "ResetWebhookEventData": "That events were missed. Load everything again.",
        "RevokedNominee": "All that a nominee whose access has ended gets to see of it.",
        "Role": "A side of a connection: a sender says that they are safe, and a receiver is told.",
        "SMSBodyFormat": "The format of the request to a provider of text messages.",
        "SenderCall": "How a receiver can call a sender.",
        "SenderHome": "The part of the first screen for a sender.",
        "SenderProfile": "The profile that makes a user a sender: when they are asked to check in, and their code.",
        "SessionKind":
            "The kind of a vault's session: shared by everybody inside, or of one nominee by emergency access.",
        "Share": "A CloudKit share of a vault.",
        "ShareParticipant": "A participant of a CloudKit share, as CloudKit reports it.",
        "SharePermission": "What the participants of a share may do.",
        "ShareSynchronisation": "The number of nominees that a synchronisation with CloudKit has changed.",
        "ShareUsage": "The number of invitations of each channel and outcome.",
        "Sign": "A thing of mine that can report: a button, a phone's shortcut, a sensor.",
        "SignIn": "The tokens of a sign-in, with the user.",
        "SignInLink": "A link that signs a user in to the web client, once.",
        "SignKind":
            """
        The kind of a thing: check_in is pressed by a person and counts as a check-in; activity notices that \
        something moved, and never counts.
        """,
        "SignOfLife": "What counts as a sign of life: only a check-in, or any signed-in use.",
        "SignatureAlgorithm": "The algorithm of a key's signatures.",
        "State": "The statement about a person now, in the language of the reader.",
        "StateKind": "The kind of a statement, which decides the shape of a screen. A new kind reads as unknown.",
        "StateTone": "The tone of a statement: calm, waiting for something, alarm, or unknown.",
        "StatedOutcome": "The outcome of an alarm that one of the people in it can state.",
        "StreamEvent":
            "An event of the stream GET /v1/events. The member event is its type. Ignore a type that you do not know.",
        "Subscription": "A receiver's subscription, which the tenant keeps.",
        "SubscriptionStatus": "The status of a receiver's subscription.",
        "TakenDraft": "The vault of a draft that was read, which ends it.",
        "Tenant": "The settings of a tenant.",
        "TenantText": "A text that people read, with Kith's words and the tenant's own.",
        "TextWords": "A text, or its forms where a number decides between them.",
        "TokenInvitation": "An invitation by link.",
        "Transfer": "An offer of a vault to a new owner.",
        "User": "A user's account.",
        "Vault": "A vault of documents, as its owner or one of its nominees sees it.",
        "VaultAction": "An action that the history of a vault records.",
        "VaultCounts": "The number of a vault's documents and nominees, for its owner.",
        "VaultEvent": "An event in the history of a vault.",
        "VaultEventSubject": "The person or thing that an event in a vault's history is about.",
        "VaultEventSubjectType": "What an event in a vault's history is about.",
        "VaultMessage": "A message in an event. It names the vault and the nominee, which are otherwise in the path.",
        "VaultName": "A vault with its name.",
        "VaultNominee": "A nominee in an event. It names the vault, which is otherwise in the path.",
        "VaultPreview": "A vault in a preview, without its id.",
        "VaultRole": "The role that somebody has in a vault.",
        "VaultSession": "The time for which a vault is open.",
        "Waiting": "What waits for my answer.",
        "WebPushKey": "The tenant's public key for Web Push.",
        "WebPushKeys": "The keys of a Web Push subscription.",
        "Webhook": "An endpoint of the tenant's server that gets events.",
        "WebhookBatch": "The body of a request to a webhook.",
        "WebhookBatchData": "The events of a request to a webhook.",
        "WebhookEvent":
            "An event of a webhook. The member type is its type. Ignore a type that you do not know.",
        "WebhookStatus": "Whether a webhook gets events. One that fails for long is disabled.",
        "WorkerState": "Whether the worker does its work on time.",
    ]
}
