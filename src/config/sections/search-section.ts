/* The section `search`: an endpoint for embeddings. */
import { addSecret } from '../../redact.ts';
import type { EmbeddingsSection, SearchSection } from '../configuration.ts';
import type { Field } from '../field.ts';
import {
	type Keys,
	key,
	object,
	type Place,
	readKeys,
	type Shape,
	schemaOf,
	text,
	type Written,
} from '../key.ts';
import { skipInvalid } from '../read-entry.ts';

/** Without a user and a query: both may hold a secret, and the address is shown. */
const base: Shape<string> = {
	...text,
	read: (field) => {
		const written = field.text();
		const url = written !== undefined && URL.canParse(written) ? new URL(written) : undefined;
		const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
		return isPlain || !field.isPresent
			? written
			: field.report('the base of an API, as http://127.0.0.1:11434/v1');
	},
};

const apiKey: Shape<NonNullable<EmbeddingsSection['key']>> = {
	...text,
	read: (field) => {
		const given = field.secretText() ?? field.text();
		if (typeof given === 'string') addSecret(given);
		return given;
	},
};

const embeddingsKeys: Keys<Written<EmbeddingsSection>> = {
	url: key(base, { about: 'the base of an API of the OpenAI form, as `http://127.0.0.1:11434/v1`' }),
	model: key(text, { about: 'the name of the model' }),
	key: key(apiKey, { about: 'its key, best as a [secret reference](secrets.md)', isSecret: true }),
};

const embeddings: Shape<EmbeddingsSection> = {
	...object(embeddingsKeys),
	read: (field, place) => skipInvalid(place.source, () => readEmbeddings(field, place))[0],
	schema: { ...schemaOf(embeddingsKeys), required: ['url', 'model'] },
};

function readEmbeddings(field: Field, place: Place): EmbeddingsSection | undefined {
	if (!field.isPresent) return undefined;
	const { url, model, key: secret } = readKeys(embeddingsKeys, field, place);
	for (const name of ['url', 'model'])
		if (!field.at(name).isPresent) return field.at(name).report('a non-empty string');
	return url === undefined || model === undefined ? undefined : { url, model, key: secret };
}

export const searchKeys: Keys<SearchSection> = {
	embeddings: key(embeddings, {
		about:
			'an endpoint that the text of tools and documents, and queries, are sent to ([embeddings](tool-search.md#embeddings)); absent: nothing is sent',
	}),
};
