/*
 * The files of the page, from the folder that the build wrote.
 *
 * The folder is listed once; a request names one of its files or gets 404, so no path
 * leaves it. A file is read and compressed with its first request and then cached.
 */
import { createHash } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { attempt } from '../errors.ts';
import { packageRoot } from '../files/package-root.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { safeHeaders, sendText } from './api/api-reply.ts';
import { PAGE_FILE_BYTES } from './dashboard-limits.ts';

const types: Readonly<Record<string, string>> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.svg': 'image/svg+xml',
	'.png': 'image/png',
	'.ico': 'image/x-icon',
	'.woff2': 'font/woff2',
};

type Encoding = 'br' | 'gzip' | 'identity';

interface PageFile {
	readonly type: string;
	readonly tag: string;
	readonly bytes: Readonly<Record<Encoding, Buffer>>;
}

export class PageFiles {
	readonly #folder: string;
	readonly #names: ReadonlySet<string>;
	readonly #files = new Map<string, Promise<PageFile>>();

	constructor(folder: string = join(packageRoot(), 'dist', 'dashboard', 'page')) {
		this.#folder = folder;
		this.#names = new Set(fileNames(folder));
	}

	/** Reply with the file of this name; the page itself for an empty one. */
	async serve(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
		const wanted = name === '' ? 'index.html' : name;
		if (request.method !== 'GET' && request.method !== 'HEAD')
			return sendText(response, 405, 'method not allowed');
		if (!this.#names.has(wanted)) {
			if (wanted === 'index.html') return sendText(response, 503, 'The page is not built: npm run build.');
			return sendText(response, 404, 'not found');
		}
		const { type, tag, bytes } = await this.#load(wanted);
		const headers = { ...safeHeaders, 'Content-Type': type, ETag: tag, Vary: 'Accept-Encoding' };
		if (response.headersSent || response.destroyed) return;
		// Compared at each load, so that a new version is used at once.
		response.setHeader('Cache-Control', 'no-cache');
		if (request.headers['if-none-match'] === tag) return void response.writeHead(304, headers).end();
		const encoding = encodingFor(request.headers['accept-encoding']);
		const body = bytes[encoding];
		const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
		response.writeHead(200, { ...headers, ...encoded, 'Content-Length': body.length });
		response.end(request.method === 'HEAD' ? undefined : body);
	}

	#load(name: string): Promise<PageFile> {
		const known = this.#files.get(name) ?? loadFile(join(this.#folder, name));
		this.#files.set(name, known);
		return known;
	}
}

function fileNames(folder: string): string[] {
	const isPage = (entry: Dirent): boolean => entry.isFile() && extname(entry.name) in types;
	// The reply says that the page is not built.
	return attempt(
		() =>
			readdirSync(folder, { withFileTypes: true })
				.filter(isPage)
				.map(({ name }) => name),
		[],
	);
}

async function loadFile(path: string): Promise<PageFile> {
	const identity = readRegularFile(path, PAGE_FILE_BYTES);
	const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
	const [br, gzipped] = await Promise.all([
		promisify(brotliCompress)(identity, { params }),
		promisify(gzip)(identity),
	]);
	const tag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
	return { type: types[extname(path)] ?? '', tag, bytes: { identity, br, gzip: gzipped } };
}

function encodingFor(accepted: string | string[] | undefined): Encoding {
	const text = String(accepted ?? '');
	if (/\bbr\b/.test(text)) return 'br';
	return /\bgzip\b/.test(text) ? 'gzip' : 'identity';
}
