/*
 * The client of a plugin for its orchestrator: tools of other plugins, storage, events.
 *
 * The plugin connects when it starts. After a lost connection the next call reconnects;
 * calls that were in flight are not repeated.
 */
import { OrchestraError } from '../../errors.ts';
import type { JsonObject } from '../../wire/json.ts';
import type { RequestInit, ResponseKind, ResponseValue } from '../codec.ts';
import { type ExactObject, exactBytes, readExact } from '../exact-json.ts';
import { EXACT_JSON, FEATURES } from '../features.ts';
import type { PluginManifest } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { fileNotFound, isMissingFile } from '../missing-file.ts';
import type { PluginClient } from './plugin-client.ts';
import type { CallOptions } from './unary-calls.ts';

/** A file of the storage. */
export interface StorageFile {
	content: Uint8Array;
	metadata: JsonObject;
	version: bigint;
}

/** The orchestrator, as a plugin uses it. */
export class Orchestrator {
	readonly #manifest: PluginManifest;
	readonly #connect: (() => Promise<PluginClient>) | undefined;
	#client: Promise<PluginClient> | undefined;

	/** @param connect undefined for a plugin without an orchestrator */
	constructor(manifest: PluginManifest, connect: (() => Promise<PluginClient>) | undefined) {
		this.#manifest = manifest;
		this.#connect = connect;
	}

	/** True when the plugin was started with an orchestrator. */
	get isAvailable(): boolean {
		return this.#connect !== undefined;
	}

	/** Connect and register, unless already connected. */
	async register(): Promise<PluginClient> {
		this.#client ??= this.#register();
		try {
			return await this.#client;
		} catch (thrown) {
			this.#client = undefined;
			throw thrown;
		}
	}

	/** Send any request of the protocol; the response must be of this kind. */
	async ask<K extends ResponseKind>(
		request: NonNullable<RequestInit['request']>,
		kind: K,
		options?: CallOptions,
	): Promise<ResponseValue<K>> {
		const client = await this.register();
		return client.ask(request, kind, options);
	}

	/** Call a tool of any plugin. Throws `tool_failed` with the code of the tool. */
	async callTool(
		toolName: string,
		input: JsonObject | ExactObject,
		options?: CallOptions,
	): Promise<ExactObject> {
		const client = await this.register();
		const exact = isExact(input) ? input : { value: input };
		const argumentsJson = exactBytes(exact, client.features.has(EXACT_JSON));
		const value = { toolName, arguments: exact.value, argumentsJson, callerPlugin: this.#manifest.id };
		const response = await client.ask({ case: 'toolCall', value }, 'toolCall', options);
		if (response.success) return readExact(response.result, response.resultJson);
		throw new OrchestraError('tool_failed', response.errorMessage || `tool error: ${response.errorCode}`, {
			data: { code: response.errorCode },
		});
	}

	/** Throws `not_found` for a missing file. */
	async read(path: string, storageType = ''): Promise<StorageFile> {
		const found = await this.ask({ case: 'storageRead', value: { path, storageType } }, 'storageRead');
		if (isMissingFile(found)) throw fileNotFound(path);
		return { content: found.content, metadata: found.metadata ?? {}, version: found.version };
	}

	/** Write a file. Version -1 writes unconditionally, 0 creates, any other must be current. Returns the new version. */
	async write(path: string, content: string | Uint8Array, version: bigint = -1n): Promise<bigint> {
		const bytes = typeof content === 'string' ? Buffer.from(content) : content;
		const value = { path, content: Uint8Array.from(bytes), expectedVersion: version };
		const response = await this.ask({ case: 'storageWrite', value }, 'storageWrite');
		if (!response.success)
			throw new OrchestraError('tool_failed', response.error, { data: { code: 'storage_error', path } });
		return response.newVersion;
	}

	/** Paths below a prefix that match a glob pattern. */
	async list(prefix: string, pattern = ''): Promise<string[]> {
		const response = await this.ask({ case: 'storageList', value: { prefix, pattern } }, 'storageList');
		return response.entries.map(({ path }) => path);
	}

	async publish(topic: string, eventType: string, payload: JsonObject): Promise<void> {
		const client = await this.register();
		const value = { topic, eventType, payload, sourcePlugin: this.#manifest.id };
		await client.send({ request: { case: 'publish', value } });
	}

	async close(): Promise<void> {
		const client = await this.#client?.catch(() => undefined);
		this.#client = undefined;
		await client?.close();
	}

	async #register(): Promise<PluginClient> {
		if (!this.#connect) {
			throw new OrchestraError('not_found', `${this.#manifest.id} runs without an orchestrator`, {
				hint: 'Start it with --orchestrator-addr=HOST:PORT, or let a hub start it.',
			});
		}
		const client = await this.#connect();
		const value = { ...this.#manifest, features: [...FEATURES] };
		const response = await client.ask({ case: 'register', value }, 'register');
		if (!response.accepted) {
			await client.close();
			throw new OrchestraError(
				'tool_failed',
				`the orchestrator refused ${value.id}: ${response.rejectReason}`,
			);
		}
		client.features = new Set(response.features);
		void client.closed.then(() => {
			this.#client = undefined;
		});
		return client;
	}
}

function isExact(input: JsonObject | ExactObject): input is ExactObject {
	return (
		typeof input['text'] === 'string' && typeof input['value'] === 'object' && Object.keys(input).length === 2
	);
}
