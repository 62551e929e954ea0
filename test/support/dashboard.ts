/* A hub with its HTTP listener and dashboard in this process, and a browser without a screen. */
import { readFileSync } from 'node:fs';
import { request as openRequest } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DashboardLimits } from '../../src/dashboard/dashboard-limits.ts';
import { openDashboard } from '../../src/dashboard/open-dashboard.ts';
import type { HubHttp } from '../../src/hub/shared/run-hub.ts';
import { Log } from '../../src/log.ts';
import { sharedState } from '../../src/mcp/server/mcp-session.ts';
import { HttpAnswer } from './http-listener.ts';
import { callServer } from './mcp-folder.ts';
import type { Wire } from './raw-client.ts';
import { type ServedHub, serveServers } from './served-hub.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

export interface OpenDashboard {
	readonly served: ServedHub;
	readonly http: HubHttp;
	/** `http://127.0.0.1:port` */
	readonly origin: string;
	readonly token: string;
	/** A browser that used a code. */
	login(): Promise<Browser>;
}

export interface DashboardSetup {
	readonly servers?: Record<string, unknown>;
	/** More of the configuration. */
	readonly more?: object;
	readonly limits?: Partial<DashboardLimits>;
	readonly page?: Record<string, string>;
	readonly journal?: string;
}

/** The server that the tests call, as `py`. */
export const py = { py: callServer };

/** Open it. It is closed when the test ends. */
export async function openTestDashboard(setup: DashboardSetup = {}): Promise<OpenDashboard> {
	const { servers = py, more = {}, limits, page = { 'index.html': '<p>page</p>' }, journal = '' } = setup;
	const served = await serveServers(servers, { more });
	const folder = join(served.folder, 'hub');
	writeFiles(folder, { 'journal.ndjson': journal });
	const pageFolder = writeFiles(temporaryFolder(), page);
	const { opened, environment } = served;
	const http = await openDashboard(
		{
			address: '127.0.0.1:0',
			folder,
			hub: opened.hub,
			opened,
			environment,
			journalFile: join(folder, 'journal.ndjson'),
			shared: sharedState(),
			onRequest: () => () => {},
			log: Log.silent,
		},
		{ limits, pageFolder },
	);
	onTestFinished(() => http.close());
	const { origin } = new URL(http.url);
	const token = readFileSync(join(folder, 'http-token'), 'utf8').trim();
	return { served, http, origin, token, login: () => Browser.login(http.dashboardUrl?.() ?? '') };
}

export interface BrowserOptions {
	readonly method?: string;
	readonly headers?: Record<string, string>;
	readonly body?: string | object;
	readonly signal?: AbortSignal;
}

/** Sends what a browser sends: its cookie, its origin. */
export class Browser {
	readonly origin: string;
	readonly cookie: string;

	constructor(origin: string, cookie: string) {
		this.origin = origin;
		this.cookie = cookie;
	}

	static async login(url: string): Promise<Browser> {
		const answer = await fetchRaw(url);
		const [cookie = ''] = (answer.message.headers['set-cookie']?.[0] ?? '').split(';');
		return new Browser(new URL(url).origin, cookie);
	}

	/** Any request, with the cookie. */
	send(path: string, options: BrowserOptions = {}): Promise<HttpAnswer> {
		const headers = { Cookie: this.cookie, ...options.headers };
		return fetchRaw(`${this.origin}${path}`, { ...options, headers });
	}

	/** A request of the page. */
	page(path: string, options: BrowserOptions = {}): Promise<HttpAnswer> {
		const headers = { 'Sec-Fetch-Site': 'same-origin', Origin: this.origin, ...options.headers };
		return this.send(path, { ...options, headers });
	}

	async get(path: string): Promise<Wire> {
		return JSON.parse(await (await this.page(path)).text());
	}

	/** The lines of a call; `onLine` sees each as it comes. */
	async call(path: string, body: object, onLine: (line: Line) => unknown = () => {}): Promise<Line[]> {
		const answer = await this.page(path, { method: 'POST', body });
		return readLines(answer, onLine);
	}

	async post(path: string, body: object = {}): Promise<HttpAnswer> {
		return this.page(path, { method: 'POST', body });
	}
}

/** A line of a call. */
export type Line = Wire;

/** The JSON lines of a reply. */
export async function readLines(
	answer: HttpAnswer,
	onLine: (line: Line) => unknown = () => {},
): Promise<Line[]> {
	const lines: Line[] = [];
	let rest = '';
	for await (const chunk of answer.message.setEncoding('utf8')) {
		const parts = (rest + chunk).split('\n');
		rest = parts.pop() ?? '';
		for (const part of parts.filter((each) => each !== '')) {
			const line: Line = JSON.parse(part);
			lines.push(line);
			await onLine(line);
		}
	}
	return lines;
}

/** One request without any header of its own. */
export function fetchRaw(url: string, options: BrowserOptions = {}): Promise<HttpAnswer> {
	const { method = 'GET', headers = {}, body, signal } = options;
	const payload = typeof body === 'object' ? JSON.stringify(body) : body;
	return new Promise((resolve, reject) => {
		const request = openRequest(url, {
			method,
			agent: false,
			signal,
			headers: { ...(payload !== undefined && { 'Content-Type': 'application/json' }), ...headers },
		});
		request.on('error', reject);
		request.on('response', (message) => resolve(new HttpAnswer(message)));
		request.end(payload);
	});
}

/** The events of a stream, by name, as they come. */
export async function* eventsOf(answer: HttpAnswer): AsyncGenerator<{ name: string; data: Wire }> {
	let rest = '';
	for await (const chunk of answer.message.setEncoding('utf8')) {
		const blocks = (rest + chunk).split('\n\n');
		rest = blocks.pop() ?? '';
		for (const block of blocks) {
			const [, name] = /^event: (.*)$/m.exec(block) ?? [];
			const [, data] = /^data: (.*)$/m.exec(block) ?? [];
			if (name !== undefined) yield { name, data: JSON.parse(data ?? 'null') };
		}
	}
}
