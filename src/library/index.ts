/* The subpath `orchestra-hub/library`: prompts and resources from folders of markdown. */
export { OrchestraError } from '../errors.ts';
export { Log } from '../log.ts';
export type { MatchReason } from '../search/document.ts';
export { affects, type LibraryChange, type ListChange } from './change.ts';
export type { Completion, CompletionArgument, CompletionReference } from './completion.ts';
export { type Fragment, readFragment } from './files/fragment.ts';
export { type LibraryPaths, type PathSources, resolveLibraryPaths, starterLibrary } from './files/paths.ts';
export {
	type FindOptions,
	Library,
	type LibraryOptions,
	type PromptResult,
	type ResourceContents,
} from './library.ts';
export type { FoundFragment } from './match/finder.ts';
export type { Match } from './match/match.ts';
export type { MatchMode, MatchRequest } from './match/match-request.ts';
export { type CountTokens, estimateTokens } from './match/tokens.ts';
export type { ListedPrompt, ListedResource, ListedTemplate } from './resource-listing.ts';
