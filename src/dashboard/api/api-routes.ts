/* The routes of the API: which function answers which path. */
import { OrchestraError } from '../../errors.ts';
import { recordingsFolder, recordingsOfCall } from '../../record/recording-files.ts';
import { isObject } from '../../wire/json.ts';
import { callOverview } from '../calls/call-overview.ts';
import { replayCall } from '../calls/call-replay.ts';
import type { RowFilter } from '../calls/call-ring.ts';
import { latencyChart } from '../calls/latency-chart.ts';
import { PageCalls } from '../calls/page-calls.ts';
import { CommandRunTable } from '../commands/command-run-table.ts';
import { replayCommand } from '../commands/mctl-commands.ts';
import { readPageCommand } from '../commands/page-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { REPLY_ROWS_LIMIT, SEARCH_HITS_LIMIT } from '../dashboard-limits.ts';
import { approvalsReply, decide } from '../views/approvals-view.ts';
import { CatalogueView, kindsOf } from '../views/catalogue-view.ts';
import { clientFiles } from '../views/clients-view.ts';
import { fabricReply } from '../views/fabric-view.ts';
import { libraryDocument, libraryReply, skillsReply } from '../views/library-view.ts';
import { MemorySamples } from '../views/memory-samples.ts';
import { ruleOfTool, writeRule } from '../views/policy-change.ts';
import { reachOf } from '../views/reach-view.ts';
import { resultsReply } from '../views/results-view.ts';
import { actOnServer, serverPage } from '../views/server-view.ts';
import { settingsView } from '../views/settings-view.ts';
import { StateView } from '../views/state-view.ts';
import { cancelTask, tasksReply } from '../views/tasks-view.ts';
import { UsageView } from '../views/usage-view.ts';
import type { AnswerRequest, CallDetails } from './api-calls.ts';
import type { ToolReply } from './api-catalogue.ts';
import { type ApiExchange, refuseApi, replyApi, replyEncoded } from './api-reply.ts';
import { PageEvents } from './page-events.ts';

const DEFAULT_ROWS = 200;
const DEFAULT_HITS = 50;

type Route = (exchange: ApiExchange) => unknown;

/** Answers the requests of the API. */
export class ApiRoutes {
	readonly #deps: DashboardDeps & { readonly catalogue: CatalogueView; readonly memory: MemorySamples };
	readonly #state: StateView;
	readonly #events: PageEvents;
	readonly #pageCalls: PageCalls;
	readonly #usage: UsageView;
	readonly #commands: CommandRunTable;
	readonly #gets: Readonly<Record<string, Route>>;
	readonly #posts: Readonly<Record<string, Route>>;

	constructor(deps: DashboardDeps) {
		const catalogue = new CatalogueView(deps);
		const memory = new MemorySamples();
		this.#deps = { ...deps, catalogue, memory };
		this.#state = new StateView(deps, memory);
		this.#events = new PageEvents(deps, { state: this.#state, catalogue });
		this.#pageCalls = new PageCalls(deps);
		this.#usage = new UsageView(deps);
		this.#commands = new CommandRunTable(deps);
		this.#gets = this.#getRoutes();
		this.#posts = this.#postRoutes();
	}

	/** Reply to a request. False when no route has its path and method. */
	async serve(exchange: ApiExchange): Promise<boolean> {
		const routes = exchange.request.method === 'GET' ? this.#gets : this.#posts;
		const [first = ''] = exchange.path;
		if (!Object.hasOwn(routes, first)) return false;
		const value: unknown = await routes[first]?.(exchange);
		if (value !== undefined) replyApi(exchange, value);
		return true;
	}

	/** End what the pages of a login follow. */
	signOut(login: string): void {
		this.#events.signOut(login);
	}

	close(): void {
		this.#events.close();
		this.#deps.catalogue.close();
		this.#pageCalls.close();
		this.#commands.close();
	}

	#getRoutes(): Record<string, Route> {
		const { catalogue } = this.#deps;
		return {
			state: () => this.#state.current(),
			events: (exchange) => this.#openEvents(exchange),
			overview: ({ query }) => callOverview(this.#deps.calls.ring, filterOf(query), Date.now()),
			reach: () => reachOf(this.#deps),
			clients: () => clientFiles(this.#deps),
			costs: () => catalogue.costs(),
			catalogue: async (exchange) => replyEncoded(exchange, await catalogue.text()),
			tool: ({ query }) => this.#tool(required(query, 'name')),
			prompt: ({ query }) => catalogue.prompt(required(query, 'name')),
			search: ({ query }) =>
				catalogue.search({
					query: query.get('q') ?? '',
					kinds: kindsOf(query.get('kind')),
					limit: countOf(query, 'limit', DEFAULT_HITS, SEARCH_HITS_LIMIT),
				}),
			resource: (exchange) =>
				exchange.path[1] === 'facts'
					? catalogue.resource(required(exchange.query, 'uri'))
					: this.#pageCalls.run(exchange, 'resources/read', { uri: required(exchange.query, 'uri') }),
			calls: (exchange) => this.#calls(exchange),
			servers: ({ path: [, id = ''] }) => serverPage(id, this.#deps),
			approvals: ({ path: [, id] }) => approvalsReply(this.#deps, id),
			library: ({ path, query, signal }) =>
				path[1] === 'document'
					? libraryDocument(
							required(query, 'uri'),
							(method, params) => this.#pageCalls.request(method, params, signal),
							this.#deps,
						)
					: libraryReply(query.get('q') ?? '', numberOf(query, 'budget') ?? null, this.#deps),
			skills: () => skillsReply(this.#deps),
			fabric: () => fabricReply(this.#deps),
			settings: () => settingsView(this.#deps),
			usage: ({ query }) => this.#usage.report(numberOf(query, 'since')),
			tasks: ({ path: [, id] }) => tasksReply(this.#deps, id),
			results: ({ path: [, handle] }) => resultsReply(this.#deps, handle),
		};
	}

	#postRoutes(): Record<string, Route> {
		return {
			call: (exchange) => this.#pageCalls.run(exchange, 'tools/call', namedCall(exchange.body)),
			prompt: (exchange) => this.#pageCalls.run(exchange, 'prompts/get', namedCall(exchange.body)),
			replay: (exchange) => {
				const { number } = exchange.body;
				return replayCall({ exchange, number, pageCalls: this.#pageCalls }, this.#deps);
			},
			answer: ({ body }) => {
				this.#pageCalls.answer(answerOf(body));
				return { isDone: true, command: '' };
			},
			tasks: ({ path: [, id = ''] }) => cancelTask(this.#deps, id),
			servers: ({ path: [, id = '', action], body: { sha256 } }) =>
				actOnServer({ id, action, sha256 }, this.#deps),
			policy: ({ body }) => writeRule(body, this.#deps),
			commands: (exchange) => this.#commands.run(exchange, readPageCommand(exchange.body)),
			approvals: ({ path: [, id = ''], body: { decision }, signal }) =>
				decide({ id, decision, signal }, this.#deps),
		};
	}

	async #tool(name: string): Promise<ToolReply> {
		const tool = await this.#deps.catalogue.tool(name);
		return { ...tool, policyTarget: ruleOfTool(tool.backend, name, this.#deps) };
	}

	#openEvents({ response, query, streams, login }: ApiExchange): void {
		if (this.#events.isFull || streams.isFull) return refuseApi(response, 503, 'too_many_streams');
		const server = query.get('server') || undefined;
		streams.add(response);
		this.#events.open(response, { call: numberOf(query, 'call'), server, login });
	}

	#calls({ path, query }: ApiExchange): unknown {
		const { calls } = this.#deps;
		const filter = filterOf(query);
		if (path[1] === 'chart') return latencyChart(calls.ring, filter, Date.now());
		if (path[1] === undefined) {
			const limit = countOf(query, 'limit', DEFAULT_ROWS, REPLY_ROWS_LIMIT);
			const found = calls.ring.rows(filter, { before: numberOf(query, 'before'), limit });
			return { ...found, total: calls.ring.size };
		}
		const details = calls.details(Number(path[1]));
		if (details) return { ...details, replay: this.#replayOf(details) };
		throw new OrchestraError('not_found', 'this call is not retained any more', {
			hint: 'Older calls are in the journal: `mctl log`.',
		});
	}

	/** The command that repeats the recording which has the call; null when there is none. */
	#replayOf({ backend, at, ms }: CallDetails): string | null {
		if (ms === null) return null;
		const call = { server: backend, startedAt: new Date(at), ms };
		const [recording] = recordingsOfCall(recordingsFolder(this.#deps.environment), call);
		return recording === undefined ? null : replayCommand(recording.file, backend);
	}
}

function filterOf(query: URLSearchParams): RowFilter {
	const text = (name: string): string | undefined => query.get(name) || undefined;
	return {
		tool: text('tool'),
		client: text('client'),
		backend: text('backend'),
		outcome: text('outcome'),
		since: numberOf(query, 'since'),
	};
}

function required(query: URLSearchParams, name: string): string {
	const value = query.get(name);
	if (value) return value;
	throw new OrchestraError('bad_input', `the parameter "${name}" is missing`, { hint: `Add ?${name}=…` });
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
	const text = query.get(name);
	if (text === null || text === '') return undefined;
	const value = Number(text);
	if (Number.isSafeInteger(value)) return value;
	throw new OrchestraError('bad_input', `the parameter "${name}" is not a whole number`, {
		hint: `Write it as ?${name}=12.`,
	});
}

function countOf(query: URLSearchParams, name: string, otherwise: number, most: number): number {
	return Math.max(1, Math.min(most, numberOf(query, name) ?? otherwise));
}

function namedCall(body: Readonly<Record<string, unknown>>): { name: string; arguments: object } {
	const { name } = body;
	const input = body['arguments'] ?? {};
	if (typeof name === 'string' && isObject(input)) return { name, arguments: input };
	throw new OrchestraError('bad_input', 'a call needs "name" and "arguments"', {
		hint: 'Send {"name": "…", "arguments": {…}}.',
	});
}

function answerOf({ id, action, content }: Readonly<Record<string, unknown>>): AnswerRequest {
	const isAction = action === 'accept' || action === 'decline' || action === 'cancel';
	if (typeof id === 'string' && isAction && (content === undefined || isObject(content)))
		// It came from a JSON body.
		return { id, action, content: content as AnswerRequest['content'] };
	throw new OrchestraError('bad_input', 'an answer needs "id" and "action"', {
		hint: 'The action is accept, decline or cancel.',
	});
}
