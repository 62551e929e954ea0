/* What a message is, from its view: its outer members are read as a parser reads them, their content is not. */
import { type Message, readMessage } from './json-rpc.ts';
import { member } from './message-member.ts';
import type { MessageView } from './message-view.ts';

/** Classify a message. Its params, its result and its error are empty, or what they are instead of an object. */
export function readView(view: MessageView): Message {
	const outer: Record<string, unknown> = {};
	for (const name of ['jsonrpc', 'id', 'method'] as const)
		if (view.has(member[name])) outer[name] = view.value(member[name]);
	for (const name of ['params', 'result', 'error'] as const) {
		const first = view.has(member[name]) ? view.firstCharacter(member[name]) : '';
		if (first === '{') outer[name] = {};
		else if (first !== '') outer[name] = first === '[' ? [] : view.value(member[name]);
	}
	const isObject = Object.keys(outer).length > 0 || view.text.trimStart().startsWith('{');
	return readMessage(isObject ? outer : undefined, view.text);
}
