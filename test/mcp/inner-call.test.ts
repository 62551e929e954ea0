import { expect, it } from 'vitest';
import { CallContext, type ClientConnection } from '../../src/mcp/server/call-context.ts';
import { argumentsIn } from '../../src/plugin/exact-json.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';

it('keeps every digit of the arguments of an inner call', () => {
	const inner = '{"name":"sum","arguments":{"big":12345678901234567890}}';
	const text = `{"id":1,"method":"tools/call","params":{"name":"call_tool","arguments":${inner},"extra":1}}`;
	const { params } = JSON.parse(text);
	const context = new CallContext(client, new IncomingCall('1', 'tools/call', params, text), {});
	context.enterInnerCall();
	expect(context.params).toEqual({ name: 'sum', arguments: { big: expect.any(Number) }, extra: 1 });
	expect(argumentsIn(context.text, {}).text).toBe('{"big":12345678901234567890}');
});

const client: ClientConnection = {
	revision: negotiate(undefined),
	capabilities: {},
	clientInfo: undefined,
	sessionId: 'one',
	logLevel: () => undefined,
	notify: () => {},
};
