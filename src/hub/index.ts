/* The subpath `orchestra-hub/hub`: one catalogue and one router over anything that implements `Source`. */
export { Hub } from './hub.ts';
export type { HubOptions } from './hub-options.ts';
export { fileJournal, type Journal, type JournalEntry } from './journal.ts';
export { type OpenedHub, type OpenHubOptions, openHub } from './open-hub.ts';
export type { Source, SourceKind } from './source.ts';
export type { OwnedProcess, SourceState, SourceStatus } from './source-status.ts';
