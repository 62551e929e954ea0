/*
 * The members of a message that a hub reads, and where they are.
 *
 * They are numbers: a view is asked for several of them in every call, and a lookup by name
 * in a table of names costs more than the answer.
 */
import type { ScannedMember } from './json-scanner.ts';

/** A member of a message that a view records. */
export const member = {
	jsonrpc: 0,
	id: 1,
	method: 2,
	params: 3,
	name: 4,
	arguments: 5,
	inputResponses: 6,
	requestState: 7,
	task: 8,
	meta: 9,
	progressToken: 10,
	traceparent: 11,
	budgetTokens: 12,
	protocolVersion: 13,
	clientCapabilities: 14,
	clientInfo: 15,
	logLevel: 16,
	result: 17,
	content: 18,
	isError: 19,
	resultType: 20,
	ttlMs: 21,
	cacheScope: 22,
	structuredContent: 23,
	tools: 24,
	resultMeta: 25,
	error: 26,
} as const;

export type MessageMember = (typeof member)[keyof typeof member];

const MCP = 'io.modelcontextprotocol/';

interface MemberPlace {
	/** The name of the member in its parent. */
	readonly name: string;
	readonly parent?: MessageMember | undefined;
}

const inParams = (name: string): MemberPlace => ({ name, parent: member.params });
const inMeta = (name: string): MemberPlace => ({ name, parent: member.meta });
const inResult = (name: string): MemberPlace => ({ name, parent: member.result });

const placesByName: Readonly<Record<keyof typeof member, MemberPlace>> = {
	jsonrpc: { name: 'jsonrpc' },
	id: { name: 'id' },
	method: { name: 'method' },
	params: { name: 'params' },
	name: inParams('name'),
	arguments: inParams('arguments'),
	inputResponses: inParams('inputResponses'),
	requestState: inParams('requestState'),
	task: inParams('task'),
	meta: inParams('_meta'),
	progressToken: inMeta('progressToken'),
	traceparent: inMeta('traceparent'),
	budgetTokens: inMeta('orchestra/budgetTokens'),
	protocolVersion: inMeta(`${MCP}protocolVersion`),
	clientCapabilities: inMeta(`${MCP}clientCapabilities`),
	clientInfo: inMeta(`${MCP}clientInfo`),
	logLevel: inMeta(`${MCP}logLevel`),
	result: { name: 'result' },
	content: inResult('content'),
	isError: inResult('isError'),
	resultType: inResult('resultType'),
	ttlMs: inResult('ttlMs'),
	cacheScope: inResult('cacheScope'),
	structuredContent: inResult('structuredContent'),
	tools: inResult('tools'),
	resultMeta: inResult('_meta'),
	error: { name: 'error' },
};

const all = Object.keys(placesByName) as (keyof typeof member)[]; // its type says so
const places: readonly MemberPlace[] = all
	.toSorted((one, other) => member[one] - member[other])
	.map((name) => placesByName[name]);

export const MEMBER_COUNT: number = places.length;

/** The name of each member as it is written in compact JSON, with its colon. */
export const memberLabels: readonly string[] = places.map(({ name }) => `${JSON.stringify(name)}:`);

/** The member that it is in; undefined for those of the message itself. */
export function parentOf(each: MessageMember): MessageMember | undefined {
	return places[each]?.parent;
}

/** What a scan of a message records. */
export const scannedMembers: readonly ScannedMember[] = membersIn(undefined);

function membersIn(parent: MessageMember | undefined): readonly ScannedMember[] {
	return Object.values(member)
		.filter((each) => parentOf(each) === parent)
		.map((each) => ({
			name: places[each]?.name ?? '',
			slot: each,
			inner: membersIn(each),
			isChecked: each === member.params,
			isHashed: each === member.arguments,
		}));
}
