/*
 * `/dashboard/` and `/api/` of the listener: who gets in, then the page or the API.
 *
 * `Host` and `Origin` were checked before. A refused request gets a status and nothing
 * else, and nothing of its body is read.
 */
import { attempt } from '../errors.ts';
import type { HttpExchange } from '../http/http-exchange.ts';
import type { HttpRoute } from '../http/http-route.ts';
import { readBody } from '../http/request-body.ts';
import { jsonObject } from '../wire/json.ts';
import { type ApiExchange, refuseApi, replyApi, replyFailure, send, sendText } from './api/api-reply.ts';
import { ApiRoutes } from './api/api-routes.ts';
import { cookieHeader, type DashboardAccess, type EntryVerdict, noCookieHeader } from './dashboard-access.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { PageFiles } from './page-files.ts';

/** The same reply for every reason. */
const UNAUTHORIZED = `This browser is not signed in. A link works once, for a few minutes.
Open the dashboard with: mctl dashboard
`;

export class DashboardSite {
	readonly #access: DashboardAccess;
	readonly #limits: DashboardDeps['limits'];
	readonly #followed: DashboardDeps['followed'];
	readonly #pages: PageFiles;
	readonly #api: ApiRoutes;

	/** @param pageFolder default: that of the build */
	constructor(deps: DashboardDeps, access: DashboardAccess, pageFolder?: string) {
		this.#access = access;
		this.#limits = deps.limits;
		this.#followed = deps.followed;
		this.#pages = new PageFiles(pageFolder);
		this.#api = new ApiRoutes(deps);
	}

	/** The routes check their sender themselves: a browser has a cookie and no token. */
	get routes(): HttpRoute[] {
		return [
			{ path: '/dashboard', isPublic: true, serve: ({ response }) => redirect(response) },
			{ path: '/dashboard/', isPublic: true, serve: (exchange) => this.#servePage(exchange) },
			{ path: '/api/', isPublic: true, serve: (exchange) => this.#serveApi(exchange) },
		];
	}

	close(): void {
		this.#api.close();
	}

	async #servePage({ request, response }: HttpExchange): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://own');
		const name = pathname.slice('/dashboard/'.length);
		if (name === 'enter') {
			const cookie = this.#access.enter(searchParams.get('code') ?? '');
			if (cookie !== undefined) response.setHeader('Set-Cookie', cookieHeader(cookie, request));
			// A browser that opens the link a second time has its cookie already.
			else if (this.#access.forPage(request) !== 'ok') return sendText(response, 401, UNAUTHORIZED);
			this.#followed.use(response);
			return request.headers['sec-fetch-site'] === 'cross-site' ? goOn(response) : redirect(response);
		}
		if (this.#access.forPage(request) !== 'ok') return sendText(response, 401, UNAUTHORIZED);
		this.#followed.use(response);
		await this.#pages.serve(name, request, response);
	}

	async #serveApi({ request, response, streams }: HttpExchange): Promise<void> {
		const isPost = request.method === 'POST';
		if (!isPost && request.method !== 'GET') return refuseApi(response, 405, 'method_not_allowed');
		const verdict = this.#access.forApi(request, isPost);
		if (verdict !== 'ok') return refuseApi(response, statuses[verdict], verdict);
		this.#followed.use(response);
		const url = new URL(request.url ?? '', 'http://own');
		const path = pathOf(url.pathname);
		if (path === undefined) return refuseApi(response, 404, 'not_found');
		const body = isPost ? await readBody(request, this.#limits.bodyBytes) : { text: '{}' };
		if (body === undefined) return;
		if ('problem' in body) return refuseApi(response, body.problem.status, body.problem.message);
		const value = jsonObject(body.text);
		if (value === undefined) return refuseApi(response, 400, 'the body is not a JSON object');
		if (isPost && path[0] === 'sign-out') return this.#signOut(request, response);
		const aborting = new AbortController();
		response.once('close', () => aborting.abort());
		const exchange = {
			request,
			response,
			streams,
			query: url.searchParams,
			path,
			body: value,
			login: this.#access.loginOf(request),
			signal: aborting.signal,
		};
		await this.#answer(exchange);
	}

	#signOut(request: HttpExchange['request'], response: HttpExchange['response']): void {
		this.#access.leave(request);
		this.#api.signOut(this.#access.loginOf(request));
		response.setHeader('Set-Cookie', noCookieHeader(request));
		replyApi({ request, response }, { isDone: true, command: 'mctl dashboard' });
	}

	async #answer(exchange: ApiExchange): Promise<void> {
		try {
			if (!(await this.#api.serve(exchange))) refuseApi(exchange.response, 404, 'not_found');
		} catch (thrown) {
			replyFailure(exchange.response, thrown);
		}
	}
}

const statuses: Readonly<Record<Exclude<EntryVerdict, 'ok'>, number>> = { unauthorized: 401, forbidden: 403 };

/**
 * The link was followed from a file of `mctl dashboard`. A browser does not send a `SameSite=Strict` cookie after a
 * redirect of such a request, but it does when a page of ours goes on.
 */
function goOn(response: HttpExchange['response']): void {
	send(response, 200, '', { 'Content-Type': 'text/html; charset=utf-8', Refresh: '0; url=/dashboard/' });
}

function redirect(response: HttpExchange['response']): void {
	send(response, 303, '', { Location: '/dashboard/' });
}

/** The segments after `/api/`, decoded; undefined when one is not percent-encoding. */
function pathOf(pathname: string): string[] | undefined {
	return attempt(() => pathname.slice('/api/'.length).split('/').map(decodeURIComponent));
}
