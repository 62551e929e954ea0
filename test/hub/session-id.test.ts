/* The id of an MCP connection, as a plugin sees it: through `mctl serve`, through bridges, and over the death of a hub. */
import { expect, it } from 'vitest';
import { type HubBridge, openHubPlace } from '../support/hub-place.ts';
import { callText, configuredFolder, pluginWith } from '../support/plugins.ts';
import { isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const who = (): { id: string } => pluginWith('tools.who', 'who: tool((_input, { sessionId }) => sessionId)');

it('is one for each mctl serve', async () => {
	const { open } = configuredFolder({ plugins: [who()] });
	const [first, second] = [await open(), await open()];
	const id = await callText(first, 'who');
	expect(id).toMatch(uuid);
	expect(await callText(first, 'who')).toBe(id);
	const other = await callText(second, 'who');
	expect(other).toMatch(uuid);
	expect(other).not.toBe(id);
});

it('is one for each bridge, and the same after the hub died and the bridge has connected again', async () => {
	const place = openHubPlace({ plugins: [who()] });
	const pid = await place.start();
	const [first, second] = [place.bridge(), place.bridge()];
	await Promise.all([first.ready(), second.ready()]);
	const ids = [await idOf(first, 2), await idOf(first, 3), await idOf(second, 2)];
	expect(ids[0]).toMatch(uuid);
	expect(ids[1]).toBe(ids[0]);
	expect(ids[2]).toMatch(uuid);
	expect(ids[2]).not.toBe(ids[0]);
	process.kill(pid, 'SIGKILL');
	await until('the hub is gone', () => !isAlive(pid));
	for (const [bridge, id] of [
		[first, ids[0]],
		[second, ids[2]],
	] as const) {
		let seen = '';
		const answers = async (): Promise<boolean> =>
			(seen = await idOf(bridge, nextId++).catch(() => '')) !== '';
		await until('it is answered by the next hub', answers);
		expect(seen).toBe(id);
	}
});

let nextId = 100;

async function idOf({ client }: HubBridge, id: number): Promise<string> {
	const { result, error } = await client.call(id, 'tools/call', { name: 'who', arguments: {} });
	const [content] = (result?.['content'] ?? []) as { text: string }[];
	if (content === undefined) throw new Error(error?.message ?? 'no answer');
	return content.text;
}
