/*
 * Everything that can be called or read: the compact list, one tool with its schema, and
 * the search. The list is made once per change of the hub.
 */
import { OrchestraError } from '../errors.ts';
import { firstSentence } from '../hub/expose/tool-document.ts';
import type { Hub } from '../hub/hub.ts';
import type { MergedList } from '../hub/merged-list.ts';
import { redactJson } from '../redact.ts';
import { signatureLine } from '../schema/tool-signature.ts';
import { Policy } from '../trust/policy.ts';
import type { JsonObject } from '../wire/json.ts';
import type {
	CatalogueReply,
	CatalogueRow,
	OfferKind,
	PromptReply,
	ResourceReply,
	SearchReply,
	ToolReply,
	ToolSearchHit,
} from './api-offers.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { callCommand, promptCommand } from './mctl-commands.ts';

/** Longest first line in the list. */
const SUMMARY_CHARACTERS = 120;
/** Longest query. */
const QUERY_CHARACTERS = 1000;

/** The name of the page towards the policy and the servers. */
export const DASHBOARD_CLIENT = 'dashboard';

export class CatalogueView {
	readonly #parts: DashboardParts;
	readonly #unsubscribe: () => void;
	#version = 1;
	#list: Promise<CatalogueReply> | undefined;
	#text: { list: CatalogueReply; text: string } | undefined;

	constructor(parts: DashboardParts) {
		this.#parts = parts;
		this.#unsubscribe = parts.hub.onChange((change) => {
			if (change.kind === 'resource') return;
			this.#version++;
			this.#list = undefined;
		});
	}

	/** Rises with each change. */
	get version(): number {
		return this.#version;
	}

	/** The whole list. */
	list(): Promise<CatalogueReply> {
		this.#list ??= makeList(this.#parts.hub, this.#version).catch((error: unknown) => {
			this.#list = undefined;
			throw error;
		});
		return this.#list;
	}

	/** The whole list as JSON without secrets, encoded once. */
	async text(): Promise<string> {
		const list = await this.list();
		if (this.#text?.list !== list) this.#text = { list, text: JSON.stringify(redactJson(list)) };
		return this.#text.text;
	}

	/** The rows of one backend. */
	async rowsOf(id: string): Promise<CatalogueRow[]> {
		const { rows, backends } = await this.list();
		const index = backends.indexOf(id);
		return rows.filter((row) => row[2] === index);
	}

	/** A tool with its schema. Throws `not_found`. */
	async tool(name: string): Promise<Omit<ToolReply, 'policyTarget'>> {
		const { hub, opened } = this.#parts;
		const { items, routes } = await hub.catalogue.tools();
		const tool = items.find((each) => each.name === name);
		const route = routes.get(name);
		if (tool === undefined || route === undefined)
			throw new OrchestraError('not_found', `there is no tool "${name}"`, {
				hint: 'mctl list shows the tools.',
			});
		const facts = { tool: name, client: DASHBOARD_CLIENT, annotations: tool.annotations };
		const { action, rule } = new Policy(opened.configuration().policy).decide(facts);
		return {
			name,
			backend: route.backend.id,
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
		const { items, routes } = await this.#parts.hub.catalogue.prompts();
		const prompt = items.find((each) => each.name === name);
		const route = routes.get(name);
		if (prompt === undefined || route === undefined)
			throw new OrchestraError('not_found', `there is no prompt "${name}"`, {
				hint: 'mctl list shows the prompts.',
			});
		// It came from a JSON message.
		const given = prompt as unknown as JsonObject;
		return { name, backend: route.backend.id, prompt: given, command: promptCommand(name) };
	}

	/** A resource or a template as its server lists it. One that is not listed may be readable all the same. */
	async resource(uri: string): Promise<ResourceReply> {
		const { catalogue } = this.#parts.hub;
		const resources = await catalogue.resources();
		const templates = await catalogue.templates();
		const item =
			resources.items.find((each) => each.uri === uri) ??
			templates.items.find((each) => each.uriTemplate === uri);
		const route = resources.routes.get(uri) ?? templates.routes.get(uri);
		// It came from a JSON message.
		return { backend: route?.backend.id ?? null, resource: (item ?? null) as unknown as JsonObject | null };
	}

	/** The best tools by the ranker, then prompts and resources whose name or first line has the words. */
	async search(query: string, limit: number): Promise<SearchReply> {
		const began = performance.now();
		const text = query.slice(0, QUERY_CHARACTERS).trim();
		if (text === '') return { hits: [], ms: 0 };
		const hits = [...(await this.#tools(text, limit)), ...(await this.#others(text, limit))];
		return { hits: hits.slice(0, limit), ms: Math.round((performance.now() - began) * 10) / 10 };
	}

	close(): void {
		this.#unsubscribe();
	}

	async #tools(query: string, limit: number): Promise<ToolSearchHit[]> {
		const { hub } = this.#parts;
		const list = await hub.catalogue.tools();
		const hits = (await hub.exposure?.search(list, query, limit)) ?? [];
		const summaries = new Map((await this.list()).rows.map((row) => [row[1], row[3]]));
		return hits.map(({ id, score, why }) => ({
			kind: 'tool',
			name: id,
			backend: list.routes.get(id)?.backend.id ?? '',
			summary: summaries.get(id) ?? '',
			score: Math.round(score * 10) / 10,
			why,
		}));
	}

	async #others(query: string, limit: number): Promise<ToolSearchHit[]> {
		const words = query.toLowerCase().split(/\s+/);
		const { rows, backends } = await this.list();
		const found: ToolSearchHit[] = [];
		for (const [kind, name, backend, summary] of rows) {
			if (kind === 'tool' || found.length >= limit) continue;
			const text = `${name} ${summary}`.toLowerCase();
			if (!words.every((word) => text.includes(word))) continue;
			const why = words.map((word) => ({ word, matched: word, kind: 'word', fields: ['name'] }));
			found.push({ kind, name, backend: backends[backend] ?? '', summary, score: 0, why });
		}
		return found;
	}
}

async function makeList({ catalogue }: Hub, version: number): Promise<CatalogueReply> {
	const list = new RowList();
	const tools = await catalogue.tools();
	const prompts = await catalogue.prompts();
	const resources = await catalogue.resources();
	const templates = await catalogue.templates();
	for (const item of tools.items) list.add('tool', item.name, tools, item);
	for (const item of prompts.items) list.add('prompt', item.name, prompts, item);
	for (const item of resources.items) list.add('resource', item.uri, resources, item);
	for (const item of templates.items) list.add('template', item.uriTemplate, templates, item);
	return { version, backends: list.backends, rows: list.rows };
}

/** The fields of an item that say what it is. */
interface Described {
	readonly name: string;
	readonly title?: unknown;
	readonly description?: unknown;
}

class RowList {
	readonly backends: string[] = [];
	readonly rows: CatalogueRow[] = [];
	readonly #indexes = new Map<string, number>();

	add(kind: OfferKind, name: string, { routes }: MergedList<unknown>, item: Described): void {
		const { description, title } = item;
		const text = [description, title, item.name === name ? '' : item.name].find(
			(each): each is string => typeof each === 'string' && each !== '',
		);
		const backend = this.#indexOf(routes.get(name)?.backend.id ?? '');
		this.rows.push([kind, name, backend, firstSentence(text ?? '', SUMMARY_CHARACTERS)]);
	}

	#indexOf(backend: string): number {
		const known = this.#indexes.get(backend) ?? this.backends.push(backend) - 1;
		this.#indexes.set(backend, known);
		return known;
	}
}
