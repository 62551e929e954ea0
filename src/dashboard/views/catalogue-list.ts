/* The lists of the hub as short rows, and as what the search reads of them. Long lists are read in slices. */
import type { MergedList } from '../../hub/catalogue/merged-list.ts';
import { firstSentence } from '../../hub/expose/tool-document.ts';
import type { Hub } from '../../hub/hub.ts';
import { estimateTokens } from '../../library/match/tokens.ts';
import { redactJson } from '../../redact.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import type { CatalogueKind, CatalogueReply, CatalogueRow, ToolSearchHit } from '../api/api-catalogue.ts';
import type { CostsReply } from '../api/api-types.ts';
import { LISTED_SUMMARY_CHARACTERS } from '../dashboard-limits.ts';
import type { IndexedItem } from './item-index.ts';

/** The list with what the search needs of it. */
export interface MadeList {
	readonly reply: CatalogueReply;
	/** The costs of the definitions of the tools. */
	readonly costs: CostsReply['sources'];
	/** Prompts, resources, templates and skills. */
	readonly items: readonly IndexedItem[];
	readonly rowOf: (kind: CatalogueKind, name: string) => Pick<ToolSearchHit, 'backend' | 'summary'>;
}

/** Read the lists of the hub. */
export async function makeList({ catalogue }: Hub, version: number): Promise<MadeList> {
	const list = new RowList();
	const tools = await catalogue.list('tools');
	const prompts = await catalogue.list('prompts');
	const resources = await catalogue.list('resources');
	const templates = await catalogue.list('templates');
	const skills = await catalogue.list('skills');
	const slices = new WorkSlices();
	for (const item of tools.items) {
		list.add('tool', item.name, tools, item);
		if (slices.isOver) await slices.next();
	}
	for (const item of prompts.items) list.add('prompt', item.name, prompts, item);
	for (const item of resources.items) list.add('resource', item.uri, resources, item);
	for (const item of templates.items) list.add('template', item.uriTemplate, templates, item);
	for (const { uri, frontmatter } of skills.items) {
		const { name, description } = frontmatter;
		list.add('skill', uri, skills, { name: typeof name === 'string' ? name : uri, description });
	}
	return list.made(version);
}

/** The list as JSON without secrets. */
export async function encodedList({ rows, ...rest }: CatalogueReply): Promise<string> {
	const slices = new WorkSlices();
	const strings: string[] = [];
	for (const row of rows) {
		strings.push(JSON.stringify(redactJson(row)));
		if (slices.isOver) await slices.next();
	}
	return `${JSON.stringify(redactJson(rest)).slice(0, -1)},"rows":[${strings.join(',')}]}`;
}

/** The fields of an item that say what it is. */
interface Described {
	readonly name: string;
	readonly title?: unknown;
	readonly description?: unknown;
}

class RowList {
	readonly #backends: string[] = [];
	readonly #rows: CatalogueRow[] = [];
	readonly #items: IndexedItem[] = [];
	readonly #byName = new Map<string, CatalogueRow>();
	readonly #indexes = new Map<string, number>();
	readonly #costs = new Map<string, { tools: number; tokens: number }>();

	made(version: number): MadeList {
		return {
			reply: { version, backends: this.#backends, rows: this.#rows },
			costs: [...this.#costs]
				.map(([backend, cost]) => ({ backend, ...cost }))
				.toSorted((one, other) => other.tokens - one.tokens),
			items: this.#items,
			rowOf: (kind, name) => {
				const [, , backend = -1, summary = ''] = this.#byName.get(`${kind} ${name}`) ?? [];
				return { backend: this.#backends[backend] ?? '', summary };
			},
		};
	}

	add(kind: CatalogueKind, name: string, { routes }: MergedList<unknown>, item: Described): void {
		const { description, title } = item;
		const text = [description, title, item.name === name ? '' : item.name].find(
			(each): each is string => typeof each === 'string' && each !== '',
		);
		const backend = this.#indexOf(routes.get(name)?.source.id ?? '');
		const row: CatalogueRow = [kind, name, backend, firstSentence(text ?? '', LISTED_SUMMARY_CHARACTERS)];
		this.#rows.push(row);
		this.#byName.set(`${kind} ${name}`, row);
		if (kind === 'tool') return this.#addCost(this.#backends[backend] ?? '', item);
		const shown = [title, item.name].filter((each) => typeof each === 'string' && each !== name).join(' ');
		this.#items.push({
			kind,
			name,
			title: shown,
			description: typeof description === 'string' ? description : '',
		});
	}

	#addCost(backend: string, tool: Described): void {
		const cost = this.#costs.get(backend) ?? { tools: 0, tokens: 0 };
		this.#costs.set(backend, cost);
		cost.tools++;
		cost.tokens += estimateTokens(JSON.stringify(tool));
	}

	#indexOf(backend: string): number {
		const known = this.#indexes.get(backend) ?? this.#backends.push(backend) - 1;
		this.#indexes.set(backend, known);
		return known;
	}
}
