import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { connectNats } from '../../src/fabric/link/connect-nats.ts';
import { atEnd } from '../support/at-end.ts';
import { freePort } from '../support/nats-server.ts';

it('leaves no connection behind to a server that accepts it and stays silent', async () => {
	const port = await freePort();
	const ended: Promise<unknown>[] = [];
	const server = createServer((socket: Socket) => ended.push(once(socket.resume(), 'close')));
	server.listen(port, '127.0.0.1');
	atEnd(() => void server.close());
	await once(server, 'listening');
	const url = `nats://127.0.0.1:${port}`;
	await expect(connectNats({ servers: [url], name: 'hub' }, { url }, 100)).rejects.toThrow(
		`${url} has not answered in 0.1 s`,
	);
	expect(ended).toHaveLength(1);
	await Promise.all(ended);
});
