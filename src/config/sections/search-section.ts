/* The section `search`: an endpoint for embeddings. */
import { addSecret } from '../../redact.ts';
import { checked, key, mapped, object, secret, text, valid } from '../key.ts';

/** Without a user and a query: both may hold a secret, and the address is shown. */
const base = checked(text, isPlainUrl, 'the base of an API, as http://127.0.0.1:11434/v1');

function isPlainUrl(written: string): boolean {
	const url = URL.canParse(written) ? new URL(written) : undefined;
	return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
}

const apiKey = mapped(secret, (given) => {
	if (typeof given === 'string') addSecret(given);
	return given;
});

export const embeddingsKeys = {
	url: key(base, 'the base of an API of the OpenAI form, as `http://127.0.0.1:11434/v1`', {
		required: 'a non-empty string',
	}),
	model: key(text, 'the name of the model', { required: 'a non-empty string' }),
	key: key(apiKey, 'its key, best as a [secret reference](secrets.md)', { isSecret: true }),
};

export const searchKeys = {
	embeddings: key(
		valid(object(embeddingsKeys)),
		'where texts of tools and documents, and queries, are sent ([embeddings](tool-search.md#embeddings)); absent: nowhere',
	),
};
