/*
 * The instructions of an agent that searches: which servers there are, what each is for, and how
 * tools are found, described and called. Five lines, before the instructions of the servers.
 */
import type { Tool } from '../../protocol/mcp-types.ts';
import { able, type Source } from '../source.ts';
import { GUIDE_SERVER_CHARACTERS, GUIDE_SERVERS_CHARACTERS } from './expose-limits.ts';
import { CALL_TOOL, DESCRIBE_TOOL, FIND_TOOLS } from './search-tools.ts';
import { firstSentence, upstreamName } from './tool-document.ts';

/** Tools that stand for a server without instructions. */
const NAMED_TOOLS = 4;

/** Undefined when `isSearched` says so of the number of known tools. Starts no process. */
export async function searchGuide(
	sources: readonly Source[],
	isSearched: (tools: number) => boolean,
): Promise<string | undefined> {
	const counted = sources.map((source) => ({ source, tools: source.status.tools ?? 0 }));
	const known = counted.filter(({ tools }) => tools > 0);
	const total = known.reduce((sum, { tools }) => sum + tools, 0);
	if (!isSearched(total) || known.length === 0) return undefined;
	const servers = await Promise.all(known.map(serverText));
	return [
		`This hub has ${total} tools. Where its list has ${FIND_TOOLS}, that stands for all of them:`,
		`Servers: ${withinLimit(servers)}`,
		`${FIND_TOOLS} {query, task}: the step in a few words, and the whole request in the words of the user. Ask again in other words when nothing fits.`,
		`${DESCRIBE_TOOL} {name}: the whole schema, when the signature that was found is not enough.`,
		`${CALL_TOOL} {name, arguments}: the result is the result of that tool.`,
	].join('\n');
}

async function serverText({ source, tools }: { source: Source; tools: number }): Promise<string> {
	const name = `${source.id} (${tools})`;
	try {
		const said = (await able(source, 'instructions')?.instructions()) ?? '';
		// A heading says the name again.
		const prose = said.replace(/^\s*#.*$/gm, '');
		const named = async (): Promise<string> =>
			toolNames(source, (await source.list('tools')) as readonly Tool[]); // the items of that kind
		const about = firstSentence(prose, GUIDE_SERVER_CHARACTERS) || (await named());
		return `${name}: ${about.replace(/[.;]$/, '')}`;
	} catch {
		return name; // what went wrong is said when its tools are listed
	}
}

function toolNames({ id }: Source, tools: readonly Tool[]): string {
	const names = tools.slice(0, NAMED_TOOLS).map(({ name }) => upstreamName(name, id));
	return firstSentence(
		`${names.join(', ')}${tools.length > NAMED_TOOLS ? ', …' : ''}`,
		GUIDE_SERVER_CHARACTERS,
	);
}

function withinLimit(servers: readonly string[]): string {
	let shown = servers.length;
	while (shown > 1 && servers.slice(0, shown).join('; ').length > GUIDE_SERVERS_CHARACTERS) shown--;
	const more = servers.length - shown;
	return `${servers.slice(0, shown).join('; ')}${more === 0 ? '' : `; and ${more} more`}`;
}
