/* The library: search with a token budget and explained scores, and one document. */
import { OrchestraError } from '../../errors.ts';
import { toolsOfSkill } from '../../hub/skills/skill-tools.ts';
import { able, type Source, type SourceAbilities } from '../../hub/source.ts';
import type { Match } from '../../library/match/match.ts';
import { estimateTokens } from '../../library/match/tokens.ts';
import { quoted } from '../../printable.ts';
import type { Skill } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import type {
	LibraryDocument,
	LibraryMatch,
	LibraryReply,
	SkillRow,
	SkillsReply,
} from '../api/api-catalogue.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { LIBRARY_BUDGET_LIMIT } from '../dashboard-limits.ts';

/** Matches in a reply. */
const MATCHES = 50;
/** Documents in a reply without a query. */
const LISTED = 2000;

type Deps = Pick<DashboardDeps, 'hub'>;
type Documents = SourceAbilities['listDocuments'];

/** The documents for a query, best first; all of them for an empty one. */
export async function libraryReply(query: string, budget: number | null, deps: Deps): Promise<LibraryReply> {
	const began = performance.now();
	const library = able(libraryOf(deps), 'listDocuments');
	const found = query.trim() === '' ? await allDocuments(library) : await matching(query, library);
	const within = inBudget(found.matches, budget === null ? null : Math.min(budget, LIBRARY_BUDGET_LIMIT));
	const ms = Math.round((performance.now() - began) * 10) / 10;
	const isCut = within.matches.length < found.total;
	return { ...within, budget, total: found.total, isCut, ms };
}

/** The skills of all servers, the library and the project. */
export async function skillsReply({ hub }: Deps): Promise<SkillsReply> {
	return { skills: (await hub.list('skills')).map(skillRow) };
}

/** The text of a document. Throws `not_found`. @param read sends a request of the page */
export async function libraryDocument(
	uri: string,
	read: (method: string, params: object) => Promise<unknown>,
	deps: Deps,
): Promise<LibraryDocument> {
	if (!able(libraryOf(deps), 'ownsUri')?.ownsUri(uri)) throw noDocument(uri);
	const result = await read('resources/read', { uri });
	const contents = isObject(result) ? result['contents'] : undefined;
	const content: unknown = Array.isArray(contents) ? contents[0] : undefined;
	const { text, mimeType } = isObject(content) ? content : {};
	if (typeof text !== 'string') throw noDocument(uri);
	return {
		uri,
		mimeType: typeof mimeType === 'string' ? mimeType : 'text/markdown',
		text,
		tokens: estimateTokens(text),
		command: `mctl read ${quoted(uri)}`,
	};
}

interface FoundDocuments {
	readonly matches: LibraryMatch[];
	readonly total: number;
}

async function matching(query: string, library: Documents | undefined): Promise<FoundDocuments> {
	const found = await library?.findDocuments(query, { mode: 'index', maxResults: MATCHES });
	return { matches: found?.matches.map(matchRow) ?? [], total: found?.total ?? 0 };
}

async function allDocuments(library: Documents | undefined): Promise<FoundDocuments> {
	const listed = (await library?.listDocuments()) ?? [];
	const matches = listed.slice(0, LISTED).map((fragment) => matchRow({ fragment, score: 0, why: [] }));
	return { matches, total: listed.length };
}

function libraryOf({ hub }: Deps): Source | undefined {
	return hub.sources.find(({ kind }) => kind === 'library');
}

function matchRow({ fragment, score, why }: Match): LibraryMatch {
	const { uri, title, description, category, tags, tokens } = fragment;
	return {
		uri,
		title,
		summary: description ?? '',
		category,
		tags,
		tokens,
		score: Math.round(score) / 100,
		why,
		isWithinBudget: true,
	};
}

/** The best matches that fit together, as an assembled answer would have them. */
function inBudget(
	matches: readonly LibraryMatch[],
	budget: number | null,
): Pick<LibraryReply, 'matches' | 'tokens'> {
	let tokens = 0;
	const marked = matches.map((match) => {
		const isWithinBudget = budget === null || tokens + match.tokens <= budget;
		if (isWithinBudget) tokens += match.tokens;
		return { ...match, isWithinBudget };
	});
	return { matches: marked, tokens };
}

function noDocument(uri: string): OrchestraError {
	return new OrchestraError('not_found', `the library has no document ${uri}`, {
		hint: 'mctl list library shows the documents.',
	});
}

function skillRow(skill: Skill): SkillRow {
	const { uri, frontmatter, resources } = skill;
	const { name, description } = frontmatter;
	const isListed = Array.isArray(resources);
	return {
		uri,
		name: typeof name === 'string' ? name : '',
		description: typeof description === 'string' ? description : '',
		files: isListed ? resources.length : null,
		bytes: isListed ? resources.reduce((sum, { size }) => sum + size, 0) : null,
		tools: toolsOfSkill(skill),
		command: `mctl skills show ${quoted(uri)}`,
	};
}
