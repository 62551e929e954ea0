/* The embeddings that the configuration names: made with the first search, and again when the setting changes. */
import type { EmbeddingsSection } from '../../config/configuration.ts';
import { messageOf } from '../../errors.ts';
import { stateFolder } from '../../files/state-folder.ts';
import type { Log } from '../../log.ts';
import { entryKey } from '../../secrets/secret-text.ts';
import type { EmbeddingSettings } from './embedding-endpoint.ts';
import type { Embeddings } from './embeddings.ts';

/** The embeddings of now; undefined without the setting. */
export type OpenEmbeddings = () => Promise<Embeddings | undefined>;

export interface ConfiguredEmbeddings {
	readonly get: OpenEmbeddings;
	/** Idempotent. */
	readonly close: () => Promise<void>;
}

/** @param section the setting of now */
export function configuredEmbeddings(
	section: () => EmbeddingsSection | undefined,
	{ environment, log }: { environment: Readonly<NodeJS.ProcessEnv>; log: Log },
): ConfiguredEmbeddings {
	let key = '';
	let made: Promise<Embeddings | undefined> = Promise.resolve(undefined);
	const make = async (settings: EmbeddingsSection): Promise<Embeddings | undefined> => {
		const { Embeddings: Made } = await import('./embeddings.ts');
		try {
			const folder = `${stateFolder(environment)}/embeddings`;
			return new Made({ settings: embeddingSettings(settings, environment), folder, log });
		} catch (error) {
			log.warn(`searching without embeddings: ${messageOf(error)}`);
			return undefined;
		}
	};
	return {
		get() {
			const settings = section();
			const next = settings ? entryKey(settings) : '';
			if (next === key) return made;
			key = next;
			void made.then((earlier) => earlier?.close());
			made = settings ? make(settings) : Promise.resolve(undefined);
			return made;
		},
		close: async () => (await made)?.close(),
	};
}

/** The settings of an endpoint; its key is resolved when it is needed. */
export function embeddingSettings(
	{ url, model, key }: EmbeddingsSection,
	environment: Readonly<NodeJS.ProcessEnv>,
): EmbeddingSettings {
	if (key === undefined) return { url, model };
	if (typeof key === 'string') return { url, model, key: async () => key };
	const resolve = async (): Promise<string> => {
		const { resolveSecret } = await import('../../secrets/resolve-secret.ts');
		return resolveSecret(key, { environment });
	};
	return { url, model, key: resolve };
}
