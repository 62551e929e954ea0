/*
 * Register with an orchestrator and get its features, without the generated code. For
 * bridges, which must start fast.
 */
import { OrchestraError } from '../errors.ts';
import type { Link } from '../link/link.ts';
import { REFUSED } from './features.ts';
import { bytesField, eachField, joined } from './protobuf-fields.ts';

/** The fields of a manifest that a bridge sets. */
export interface ShortManifest {
	id: string;
	version: string;
	language: string;
	transports: readonly string[];
	description: string;
	features: readonly string[];
	env?: Readonly<Record<string, string>> | undefined;
}

/** The result. An orchestrator without registration counts as not accepted. */
export interface Registration {
	isAccepted: boolean;
	/** Empty when it was not accepted. */
	features: ReadonlySet<string>;
	/** Why the hub must not be used; undefined for a peer that only does not know registrations. */
	refusal: string | undefined;
}

const decoder = new TextDecoder();

/** Rejects with `timeout`, or with the reason when the link is lost. */
export function register(link: Link, manifest: ShortManifest, timeoutMs: number): Promise<Registration> {
	return new Promise((resolve, reject) => {
		const stream = link.openStream();
		const timer = setTimeout(() => {
			stream.reset();
			reject(new OrchestraError('timeout', `the registration got no response within ${timeoutMs} ms`));
		}, timeoutMs);
		const fail = (error: OrchestraError): void => {
			clearTimeout(timer);
			reject(error);
		};
		stream.receive({
			frame: (payload) => {
				clearTimeout(timer);
				resolve(readRegistration(payload));
				if (!link.streamsAreCheap) stream.end();
			},
			end: () => fail(new OrchestraError('bad_frame', 'the registration got no response')),
			fail,
		});
		stream.send(registrationFrame(manifest));
		if (link.streamsAreCheap) stream.end();
	});
}

/** A `PluginRequest` that registers this manifest. */
export function registrationFrame(manifest: ShortManifest): Uint8Array {
	const value = joined([
		bytesField(1, manifest.id),
		bytesField(2, manifest.version),
		bytesField(3, manifest.language),
		...manifest.transports.map((name) => bytesField(7, name)),
		bytesField(13, manifest.description),
		...Object.entries(manifest.env ?? {}).map(([name, value]) =>
			bytesField(17, joined([bytesField(1, name), bytesField(2, value)])),
		),
		...manifest.features.map((name) => bytesField(100, name)),
	]);
	return joined([bytesField(1, `register-${manifest.id}`), bytesField(10, value)]);
}

/** Read the registration from a `PluginResponse`. Throws `bad_frame` for invalid bytes. */
export function readRegistration(payload: Uint8Array): Registration {
	let isAccepted = false;
	let reason = '';
	const features = new Set<string>();
	eachField(payload, (kind, result) => {
		if (kind !== 10 || typeof result === 'number') return;
		eachField(result, (number, value) => {
			if (number === 1) isAccepted = value === 1;
			if (number === 2 && typeof value !== 'number') reason = decoder.decode(value);
			if (number === 100 && typeof value !== 'number') features.add(decoder.decode(value));
		});
	});
	const refusal = !isAccepted && features.has(REFUSED) ? reason : undefined;
	return { isAccepted, features: isAccepted ? features : new Set(), refusal };
}
