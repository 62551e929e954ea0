/* `search.embeddings` of the configuration, as an agent and a user meet it. */
import { expect, it } from 'vitest';
import { serveEmbeddings } from '../../support/embedding-server.ts';
import { mctl } from '../../support/mctl.ts';
import { gateway, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

it('sends the texts of tools and the query to the endpoint, and nothing without the setting', async () => {
	const { url, asked } = await serveEmbeddings((texts) => texts.map(() => [1, 0.5]));
	const more = { toolList: { expose: 'search' }, search: { embeddings: { url, model: 'm' } } };
	const client = await (await serveServers({ gate: gateway() }, { more })).client();
	expect(await client.call('find_tools', { query: 'say it back' })).toContain('gate__');
	const isSent = (text: RegExp): boolean => asked.flat().some((each) => text.test(each));
	await until(
		'the endpoint has the query and the tools',
		() => isSent(/^say it back$/) && isSent(/^gate echo\n/),
	);
});

it.each([
	['http://127.0.0.1', 'texts stay on this machine', '2 dimensions'],
	['http://embeddings.invalid', 'are sent to http://embeddings.invalid', 'failed'],
])('mctl doctor says where texts go, and tests it: %s', async (host, place, tested) => {
	const { url } = await serveEmbeddings((texts) => texts.map(() => [1, 0]));
	const embeddings = { url: url.replace('http://127.0.0.1', host), model: 'm' };
	const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify({ search: { embeddings } }) });
	const { stdout } = await mctl(['doctor'], { cwd, env: { HOME: cwd, ORCHESTRA_TRUST: 'all' } });
	expect(stdout).toContain(place);
	expect(stdout).toContain(tested);
});
