/*
 * Everything that can be called or read: the compact list, one tool with its schema, and
 * the search. The list is made once per change of the hub.
 */
import { OrchestraError } from '../../errors.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import { policyOf } from '../../trust/policy.ts';
import type { JsonObject } from '../../wire/json.ts';
import type {
	CatalogueKind,
	CatalogueReply,
	CatalogueRow,
	PromptReply,
	ResourceReply,
	SearchReply,
	ToolReply,
	ToolSearchHit,
} from '../api/api-catalogue.ts';
import type { CostsReply } from '../api/api-types.ts';
import { callCommand, promptCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { CATALOGUE_QUERY_CHARACTERS } from '../dashboard-limits.ts';
import { encodedList, type MadeList, makeList } from './catalogue-list.ts';
import { ItemIndex } from './item-index.ts';

/** The name of the page towards the policy and the servers. */
export const DASHBOARD_CLIENT = 'dashboard';

/** The query of the page. */
export interface ItemQuery {
	readonly query: string;
	readonly kinds: readonly CatalogueKind[];
	/** Most hits of each kind. */
	readonly limit: number;
}

const searchedKinds: ReadonlyMap<string, readonly CatalogueKind[]> = new Map([
	['', ['tool', 'prompt', 'resource', 'template', 'skill']],
	['tools', ['tool']],
	['prompts', ['prompt']],
	['resources', ['resource', 'template']],
	['templates', ['template']],
	['skills', ['skill']],
]);

/** The kinds of `kind` in a request. Throws `bad_input`. */
export function kindsOf(kind: string | null): readonly CatalogueKind[] {
	const found = searchedKinds.get(kind ?? '');
	if (found !== undefined) return found;
	throw new OrchestraError('bad_input', `there is no kind "${kind}"`, {
		hint: 'Use tools, prompts, resources, templates or skills.',
	});
}

export class CatalogueView {
	readonly #deps: DashboardDeps;
	readonly #unsubscribe: () => void;
	#version = 1;
	readonly #index = new ItemIndex();
	#list: Promise<MadeList> | undefined;
	#text: { list: CatalogueReply; text: Promise<string> } | undefined;

	constructor(deps: DashboardDeps) {
		this.#deps = deps;
		this.#unsubscribe = deps.hub.watch((change) => {
			if (change.kind === 'resource' || change.kind === 'log') return;
			this.#version++;
			this.#list = undefined;
		});
	}

	/** Rises with each change. */
	get version(): number {
		return this.#version;
	}

	/** The whole list. */
	async list(): Promise<CatalogueReply> {
		return (await this.#made()).reply;
	}

	/** The whole list as JSON without secrets, encoded once. */
	async text(): Promise<string> {
		const list = await this.list();
		if (this.#text?.list !== list) {
			this.#text = { list, text: encodedList(list) };
			void this.#text.text.then(
				() => this.#prepareSearch(),
				() => undefined, // who waits for the text gets the error
			);
		}
		return this.#text.text;
	}

	/** The tokens of the tool definitions. */
	async costs(): Promise<CostsReply> {
		const { costs } = await this.#made();
		void this.#prepareSearch();
		return { sources: costs };
	}

	/** The rows of one source. */
	async rowsOf(id: string): Promise<CatalogueRow[]> {
		const { rows, backends } = await this.list();
		const index = backends.indexOf(id);
		return rows.filter((row) => row[2] === index);
	}

	/** A tool with its schema. Throws `not_found`. */
	async tool(name: string): Promise<Omit<ToolReply, 'policyTarget'>> {
		const { hub, opened } = this.#deps;
		const { items, routes } = await hub.catalogue.list('tools');
		const tool = items.find((each) => each.name === name);
		const route = routes.get(name);
		if (tool === undefined || route === undefined)
			throw new OrchestraError('not_found', `there is no tool "${name}"`, {
				hint: 'mctl list shows the tools.',
			});
		const policy = policyOf(opened.configuration());
		const { action, rule } = policy.decide({
			tool: route.toolName ?? policy.servers.read(name),
			client: DASHBOARD_CLIENT,
			annotations: tool.annotations,
		});
		return {
			name,
			backend: route.source.id,
			// It came from a JSON message.
			tool: tool as unknown as JsonObject,
			signature: signatureLine(name, tool.inputSchema),
			policy: rule === undefined ? null : action,
			rule: rule === undefined ? null : `${rule.file}:${rule.line}`,
			command: callCommand(name),
		};
	}

	/** A prompt with its arguments. Throws `not_found`. */
	async prompt(name: string): Promise<PromptReply> {
		const { items, routes } = await this.#deps.hub.catalogue.list('prompts');
		const prompt = items.find((each) => each.name === name);
		const route = routes.get(name);
		if (prompt === undefined || route === undefined)
			throw new OrchestraError('not_found', `there is no prompt "${name}"`, {
				hint: 'mctl list shows the prompts.',
			});
		// It came from a JSON message.
		const given = prompt as unknown as JsonObject;
		return { name, backend: route.source.id, prompt: given, command: promptCommand(name) };
	}

	/** A resource or a template as its server lists it. One that is not listed may be readable all the same. */
	async resource(uri: string): Promise<ResourceReply> {
		const { catalogue } = this.#deps.hub;
		const resources = await catalogue.list('resources');
		const templates = await catalogue.list('templates');
		const item =
			resources.items.find((each) => each.uri === uri) ??
			templates.items.find((each) => each.uriTemplate === uri);
		const route = resources.routes.get(uri) ?? templates.routes.get(uri);
		// It came from a JSON message.
		return { backend: route?.source.id ?? null, resource: (item ?? null) as unknown as JsonObject | null };
	}

	/** The best of each kind by the ranker, at most `limit` of each. */
	async search({ query, kinds, limit }: ItemQuery): Promise<SearchReply> {
		const began = performance.now();
		const text = query.slice(0, CATALOGUE_QUERY_CHARACTERS).trim();
		if (text === '') return { hits: [], ms: 0 };
		const hits: ToolSearchHit[] = [];
		const slices = new WorkSlices();
		for (const kind of kinds) {
			hits.push(...(await (kind === 'tool' ? this.#tools(text, limit) : this.#others(text, kind, limit))));
			if (slices.isOver) await slices.next();
		}
		hits.sort((one, other) => other.score - one.score);
		return { hits, ms: Math.round((performance.now() - began) * 10) / 10 };
	}

	close(): void {
		this.#unsubscribe();
	}

	#made(): Promise<MadeList> {
		this.#list ??= makeList(this.#deps.hub, this.#version).catch((error: unknown) => {
			this.#list = undefined;
			throw error;
		});
		return this.#list;
	}

	/** Who looks at the lists searches them next. A failure is that of the search then. Never rejects. */
	async #prepareSearch(): Promise<void> {
		const { hub } = this.#deps;
		try {
			await hub.exposure?.prepare(await hub.catalogue.list('tools'));
			await this.#index.prepare((await this.#made()).items);
		} catch {
			// The search meets it again, and reports it.
		}
	}

	async #tools(query: string, limit: number): Promise<ToolSearchHit[]> {
		const { hub } = this.#deps;
		const list = await hub.catalogue.list('tools');
		const hits = (await hub.exposure?.search(list, query, limit)) ?? [];
		const { rowOf } = await this.#made();
		return hits.map(({ id, score, why }) => hitOf(rowOf('tool', id), { kind: 'tool', name: id, score, why }));
	}

	async #others(query: string, kind: CatalogueKind, limit: number): Promise<ToolSearchHit[]> {
		const { items, rowOf } = await this.#made();
		const hits = await this.#index.search(items, { query, kind, limit });
		return hits.map(({ name, score, why }) => hitOf(rowOf(kind, name), { kind, name, score, why }));
	}
}

function hitOf(
	row: Pick<ToolSearchHit, 'backend' | 'summary'>,
	{ kind, name, score, why }: Pick<ToolSearchHit, 'kind' | 'name' | 'score' | 'why'>,
): ToolSearchHit {
	return { kind, name, ...row, score: Math.round(score * 10) / 10, why };
}
