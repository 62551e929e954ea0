/* A change of the configuration of a hub or worker that runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useFabric } from '../support/fabric-place.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { pluginWith } from '../support/plugins.ts';
import { until } from '../support/waiting.ts';

const plugins = [pluginWith('tools.two', `one: tool(() => 'one'), two: tool(() => 'two')`)];

describe.skipIf(natsServer === undefined)('a change of the configuration', () => {
	it('changes what the shared hub offers, without a restart', async () => {
		const { url } = await startNats();
		const fabric = { servers: [url], name: 'nas' };
		const place = openHubPlace({ fabric, plugins });
		Object.assign(place.env, { ORCHESTRA_TRUST: 'all' });
		const change = (settings: object): void =>
			writeFileSync(
				join(place.cwd, 'orchestra.json'),
				JSON.stringify({ fabric: { ...fabric, ...settings }, plugins }),
			);
		await place.start();
		const hub = await useFabric([url]);
		const offers = (tools: readonly string[]): Promise<void> =>
			until(`the tools are ${tools.join()}`, async () => (await hub.tools()).join() === tools.join());
		change({ offer: ['one'] });
		await offers(['nas__one']);
		expect(await hub.call('nas__one')).toContain('one');
		change({ offer: ['two'] });
		await offers(['nas__two']);
		expect(await hub.call('nas__two')).toContain('two');
		await until('it is not run', async () =>
			(await hub.call('nas__one')).includes('no worker offers it now'),
		);
		change({ offer: ['two'], group: 'store' });
		await offers(['store__two']);
		change({});
		await offers([]);
		await until('it is not run', async () =>
			(await hub.call('store__two')).includes('no worker offers it now'),
		);
	});
});
