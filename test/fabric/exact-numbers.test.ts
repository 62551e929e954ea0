/* Numbers in client requests of remote tools, their answers and their errors. */
import { expect, it } from 'vitest';
import { readClientRequests, readResult } from '../../src/fabric/calls/remote-content.ts';
import type { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { RemoteClientRequests } from '../../src/fabric/worker/remote-client-requests.ts';
import { toRpcError } from '../../src/rpc/rpc-error.ts';
import { encodeJson } from '../../src/wire/json-text.ts';

it('stay as they were written, in client requests and in answers', async () => {
	const numbers = '{"id":12345678901234567890,"one":1.0}';
	const text = `{"who":{"method":"elicitation/create","params":{"message":"Who?","x":${numbers}}}}`;
	const sent: string[] = [];
	const link = { fits: () => true } as unknown as FabricLink;
	const requests = new RemoteClientRequests(link, (_kind, body) => sent.push(body));
	const elicited = requests.ask(readClientRequests(text));
	expect(sent).toEqual([text]);
	requests.answer(1, `{"answers":{"who":{"action":"accept","content":${numbers}}}}`);
	expect(encodeJson(await elicited)).toBe(`{"who":{"action":"accept","content":${numbers}}}`);
	requests.close();
});

it('stay exact in the result and in the data of an error', () => {
	const result = '{"content":[],"structuredContent":{"one":1.0}}';
	expect(encodeJson(readResult(result, false))).toBe(result);
	const error = '{"code":-1,"message":"no","data":{"one":1.0,"id":12345678901234567890}}';
	expect(encodeJson(toRpcError(readResult(error, true)))).toBe(error);
});
