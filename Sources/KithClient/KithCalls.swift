// An app needs one import, KithClient, for the values and problems that this library shares with KithServer
// (docs/decisions/0057).
@_exported public import KithCalls
