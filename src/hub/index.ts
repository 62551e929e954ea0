/* The subpath `orchestra-hub/hub`: one catalogue and one router over anything that implements `Backend`. */
export type { Backend, BackendKind, OwnedProcess } from './backends/backend.ts';
export { Hub } from './hub.ts';
export type { HubOptions } from './hub-options.ts';
export { fileJournal, type Journal, type JournalEntry } from './journal.ts';
export { type OpenedHub, type OpenHubOptions, openHub } from './open-hub.ts';
