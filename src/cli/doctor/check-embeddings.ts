/* The check of `search.embeddings` for `mctl doctor`: one text is sent, and it is said where text goes. */
import { EmbeddingEndpoint } from '../../library/embeddings/embedding-endpoint.ts';
import { EMBEDDING_REQUEST_MS, QUERY_WAIT_MS } from '../../library/embeddings/embedding-limits.ts';
import { embeddingSettings } from '../../library/embeddings/open-embeddings.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';
import { failure } from './failure.ts';

const TEXT = 'Read a file';

export async function* checkEndpoint({
	project,
	environment,
	signal,
}: DoctorContext): AsyncGenerator<DoctorFinding> {
	const section = project.configuration.search.embeddings;
	if (section === undefined) return;
	try {
		const endpoint = new EmbeddingEndpoint(embeddingSettings(section, environment));
		yield endpoint.isLocal
			? { verdict: 'ok', text: `search.embeddings: texts stay on this machine (${endpoint.origin})` }
			: {
					verdict: 'warn',
					text: `search.embeddings: the texts of tools and documents, and every query, are sent to ${endpoint.origin}`,
					fix: 'Use an endpoint on this machine if they must not leave it.',
				};
		// The first request may load the model: the second one is like those of a search.
		await endpoint.embed([TEXT], EMBEDDING_REQUEST_MS, signal);
		const start = performance.now();
		const [vector] = await endpoint.embed([TEXT], EMBEDDING_REQUEST_MS, signal);
		const ms = Math.round(performance.now() - start);
		const text = `search.embeddings: ${section.model} has ${vector?.length} dimensions and answers in ${ms} ms`;
		if (ms <= QUERY_WAIT_MS) yield { verdict: 'ok', text };
		else
			yield {
				verdict: 'warn',
				text: `${text}, and a search waits ${QUERY_WAIT_MS} ms`,
				fix: 'Use a smaller model or a faster machine.',
			};
	} catch (error) {
		yield failure(
			error,
			'search.embeddings: ',
			'Correct search.embeddings, or remove it: search works without.',
		);
	}
}
