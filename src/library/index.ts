/* The subpath `orchestra-hub/library`: prompts and resources from folders of markdown. */
export { OrchestraError } from '../errors.ts';
export { Log } from '../log.ts';
export type { MatchReason } from '../search/document.ts';
export { affects, type LibraryChange, type ListChange } from './change.ts';
export type { Completion, CompletionArgument, CompletionReference } from './completion.ts';
export type { Found } from './finder.ts';
export { type Fragment, readFragment } from './fragment.ts';
export {
	type FindOptions,
	Library,
	type LibraryOptions,
	type PromptResult,
	type ResourceContents,
} from './library.ts';
export type { ListedPrompt, ListedResource, ListedTemplate } from './listing.ts';
export type { Match } from './match.ts';
export type { MatchMode, MatchRequest } from './match-request.ts';
export { type LibraryPaths, type PathSources, resolveLibraryPaths, starterLibrary } from './paths.ts';
export { type CountTokens, estimateTokens } from './tokens.ts';
