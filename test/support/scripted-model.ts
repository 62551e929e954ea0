/*
 * A model without a model, on loopback: to an agent that asks what to do it says which tools to call, one after the other,
 * and then repeats the last result as its answer. It speaks the two protocols that agents stream: `/v1/messages` and `/v1/responses`.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ScriptedModel {
	/** `http://127.0.0.1:<port>`. */
	readonly url: string;
	/** The names of the tools in each request. */
	readonly listed: (readonly string[])[];
}

/** What the agent sent, as far as it is read. */
interface AgentRequest {
	readonly messages?: readonly { readonly content: string | readonly Block[] }[];
	readonly input?: readonly Block[];
	readonly tools?: readonly NamedTool[];
}

interface Block {
	readonly type: string;
	readonly content?: unknown;
	readonly output?: unknown;
}

interface NamedTool {
	/** Tools of the provider have none. */
	readonly name?: string;
	readonly type?: string;
	readonly namespace?: string | undefined;
	readonly tools?: readonly NamedTool[];
}

interface Step {
	readonly tool: NamedTool | undefined;
	readonly input: object;
	/** The answer, when no tool is called. */
	readonly text: string;
}

/** Claude Code lists the tools of servers that are slow to start after this. */
const WAIT = 'WaitForMcpServers';

/** A call of the model. */
export interface ScriptedCall {
	/** The end of the name of the tool. */
	readonly tool: string;
	readonly input: (lastResult: string) => object;
}

/** Start it. It makes these calls, each once. */
export async function scriptedModel(calls: readonly ScriptedCall[]): Promise<ScriptedModel> {
	const listed: string[][] = [];
	const left = [...calls];
	let mayWait = true;
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			const text = Buffer.concat(chunks).toString();
			const isMessages = request.url?.startsWith('/v1/messages') === true;
			if (request.method === 'POST' && (isMessages || request.url?.startsWith('/v1/responses'))) {
				// The agent's own request.
				const asked = JSON.parse(text) as AgentRequest;
				const tools = (asked.tools ?? []).flatMap(withNamespace);
				listed.push(tools.flatMap(({ name }) => name ?? []));
				const result = resultIn(asked);
				const named = (end: string): NamedTool | undefined => tools.find(({ name }) => name?.endsWith(end));
				const [call] = left;
				const called = call && named(call.tool);
				const waiting = call && !called && mayWait ? named(WAIT) : undefined;
				if (called) left.shift();
				if (called || waiting) mayWait = false;
				const input = called ? call.input(result) : {};
				const step: Step = { tool: called ?? waiting, input, text: `The answer is ${result}` };
				if (isMessages) streamMessage(response, step);
				else streamResponse(response, step);
			}
			response.end();
		});
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	// It listens on a port.
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, listed };
}

/** The result of a tool that the agent sent last, as JSON. */
function resultIn({ messages = [], input = [] }: AgentRequest): string {
	const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
	const result =
		input.findLast(({ type }) => type === 'function_call_output') ??
		blocks.findLast(({ type }) => type === 'tool_result');
	return JSON.stringify(result?.output ?? result?.content ?? 'nothing');
}

function withNamespace(tool: NamedTool): NamedTool[] {
	if (tool.type !== 'namespace') return [tool];
	return (tool.tools ?? []).map((inner) => ({ ...inner, namespace: tool.name }));
}

function streamMessage(response: ServerResponse, { tool, input, text }: Step): void {
	const usage = { input_tokens: 1, output_tokens: 1 };
	const message = { id: 'm', type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
	const block = tool
		? { type: 'tool_use', id: `toolu_${tool.name}`, name: tool.name, input: {} }
		: { type: 'text', text: '' };
	const delta = tool
		? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
		: { type: 'text_delta', text };
	event(response, 'message_start', { message });
	event(response, 'content_block_start', { index: 0, content_block: block });
	event(response, 'content_block_delta', { index: 0, delta });
	event(response, 'content_block_stop', { index: 0 });
	event(response, 'message_delta', { delta: { stop_reason: tool ? 'tool_use' : 'end_turn' }, usage });
	event(response, 'message_stop', {});
}

function streamResponse(response: ServerResponse, { tool, input, text }: Step): void {
	const { name, namespace } = tool ?? {};
	const item = tool
		? { type: 'function_call', id: 'f', call_id: 'c', name, namespace, arguments: JSON.stringify(input) }
		: { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] };
	const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
	event(response, 'response.created', { response: { id: 'r' } });
	event(response, 'response.output_item.done', { item });
	event(response, 'response.completed', { response: { id: 'r', usage } });
}

function event(response: ServerResponse, type: string, data: object): void {
	response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}
