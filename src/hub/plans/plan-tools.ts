/*
 * The tools of a client as a program names them: `tools.<server>.<tool>`.
 *
 * Server and tool have their own names, or those in camel case: `tools.files.readTextFile` is
 * `read_text_file` of `files`. Where two names become equal, only the own one names a tool.
 */
import { OrchestraError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import type { ProgramNames, WrittenTool } from './look-ahead.ts';
import { PLAN_NAMES_SHOWN } from './plan-limits.ts';

/** A tool that a plan can call. */
export interface PlanTool {
	/** The source that has it. */
	readonly server: string;
	/** The shortest name in a program. */
	readonly written: string;
	/** The tool as clients see it. */
	readonly tool: Tool;
}

export class PlanTools {
	/** Keyed by server, then by name: undefined for a name that two tools have. */
	readonly #servers = new Map<string, Map<string, PlanTool | undefined>>();
	readonly all: readonly PlanTool[];

	readonly #items: readonly Tool[];

	/** The tools of a list; `earlier` when it has the same ones. */
	static of(list: MergedList<Tool>, earlier: PlanTools | undefined): PlanTools {
		const { items } = list;
		const known = earlier ? earlier.#items : undefined;
		const isSame = known?.length === items.length && known.every((item, at) => item === items[at]);
		return earlier && isSame ? earlier : new PlanTools(list);
	}

	private constructor({ items, routes }: MergedList<Tool>) {
		this.#items = items;
		this.all = items.flatMap((tool): PlanTool[] => {
			const route = routes.get(tool.name);
			// A plan does not call plans; `look` has a function of its own.
			if (route === undefined || ownKinds.has(route.source.kind)) return [];
			const server = route.source.id;
			const own = route.toolName?.server === undefined ? route.name : route.toolName.tool;
			const written = { server: camelCase(server), tool: camelCase(own) };
			const found = { server, written: writtenText(written), tool };
			for (const name of new Set([server, written.server]))
				this.#add(name, { own, camel: written.tool }, found);
			return [found];
		});
	}

	/** Whether a tool has this name for clients. */
	has(name: string): boolean {
		return this.all.some(({ tool }) => tool.name === name);
	}

	/**
	 * The names of those that a program can reach, sorted. Throws `bad_input` for a name that no tool has.
	 * @param failedServers a sentence about the servers that have no tools because they failed
	 */
	reachedBy({ named, isComputed }: ProgramNames, failedServers: () => string): string[] {
		const mistakes = this.mistakesIn(named).slice(0, PLAN_NAMES_SHOWN);
		if (mistakes.length > 0) {
			const failed = failedServers();
			throw new OrchestraError('bad_input', [...mistakes, ...(failed === '' ? [] : [failed])].join('\n'), {
				hint: 'find_tools finds the names: the tool files__read_file is tools.files.readFile.',
			});
		}
		// Those without a tool were refused above.
		const found = named.map((each) => this.find(each)).filter((each) => typeof each !== 'string');
		return [...new Set((isComputed ? this.all : found).map(({ tool }) => tool.name))].sort();
	}

	/** A sentence about each name that no tool has. */
	mistakesIn(named: ProgramNames['named']): string[] {
		return named.flatMap(({ place, ...each }) => {
			const tool = this.find(each);
			return typeof tool === 'string' ? [`${place}: ${tool}`] : [];
		});
	}

	/** The tool of these names, or a sentence about what is wrong with them. */
	find({ server, tool }: WrittenTool): PlanTool | string {
		const ofServer = this.#servers.get(server);
		if (ofServer === undefined) return `there is no server "${server}"${guess(server, this.#servers.keys())}`;
		const found = ofServer.get(tool);
		if (found) return found;
		if (ofServer.has(tool))
			return `${writtenText({ server, tool })} is the name of two tools: use the own name of one`;
		return `${server} has no tool "${tool}"${guess(tool, ofServer.keys())}`;
	}

	#add(server: string, { own, camel }: { own: string; camel: string }, found: PlanTool): void {
		const ofServer = this.#servers.get(server) ?? new Map<string, PlanTool | undefined>();
		this.#servers.set(server, ofServer);
		const other = ofServer.get(camel);
		const isTaken = ofServer.has(camel) && other?.tool !== found.tool;
		// An own name is never taken away by the other form of another name.
		if (camel !== own) {
			if (!isTaken) ofServer.set(camel, found);
			else if (other === undefined || !isOwnName(other, camel)) ofServer.set(camel, undefined);
		}
		ofServer.set(own, found);
	}
}

const ownKinds: ReadonlySet<string> = new Set(['plans', 'results', 'tasks']);

function isOwnName({ tool }: PlanTool, name: string): boolean {
	return tool.name === name || tool.name.endsWith(`__${name}`);
}

function guess(word: string, known: Iterable<string>): string {
	const close = nearest(word, [...known]);
	return close.length === 0 ? '' : `; did you mean ${close.join(', ')}?`;
}

/** `read_text_file` and `read-text-file` become `readTextFile`. */
export function camelCase(name: string): string {
	return name.replace(/[^\p{L}\p{N}$]+(.)?/gu, (_all, next: string | undefined, at: number) =>
		at === 0 ? (next ?? '') : (next ?? '').toUpperCase(),
	);
}

/** The name in a program: `tools.files.readTextFile`, `tools.files["3d"]`. */
export function writtenText({ server, tool }: WrittenTool): string {
	return `tools${memberText(server)}${memberText(tool)}`;
}

function memberText(name: string): string {
	return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
