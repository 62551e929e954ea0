/*
 * The client that the conformance suite drives: connect to the URL, list the tools, and
 * make the calls that the scenario wants, or one of each tool. Bundled from the sources by scripts/conformance-client.mjs. The
 * browser of the sign-in is a `fetch` that follows redirects; credentials live in a
 * temporary folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skillFiles, verifiedBytes } from '../../src/library/skills/verify-skill.ts';
import { Log } from '../../src/log.ts';
import { connectServer } from '../../src/mcp/client/connect-server.ts';
import { accountOf } from '../../src/oauth/account.ts';
import { CredentialStore } from '../../src/oauth/credential-store.ts';
import { ServerAuth } from '../../src/oauth/open-auth.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const log = Log.fromEnvironment('client', { LOG_LEVEL: 'debug' });
const folder = mkdtempSync(join(tmpdir(), 'orchestra-conformance-client-'));

try {
	await drive();
} catch (error) {
	console.error(error);
	process.exitCode = 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}

async function drive() {
	const store = new CredentialStore(join(folder, 'auth'), log);
	const interactive = { showPage, deadlineMs: 10_000 };
	const auth = new ServerAuth({ account: accountOf({ url }), store, settings: settings(), interactive, log });
	const client = await connectServer(url, {
		auth,
		log,
		clientInfo: { name: 'orchestra-conformance', version: '1.0.0' },
		elicit: ({ requestedSchema }) => ({ action: 'accept', content: valuesOf(requestedSchema) }),
		sample: () => ({ role: 'assistant', content: { type: 'text', text: 'text' }, model: 'none' }),
		roots: () => [],
	});
	try {
		if (scenario.startsWith('sep-2640')) return await useSkills(client);
		const { tools } = await client.listTools();
		for (const { name, arguments: input } of callsOf(tools)) await client.callTool(name, input);
		if (scenario === 'http-standard-headers') await sendEachMethod(client);
	} finally {
		await client.close();
	}
}

/** Use each skill as an agent would: its text, then its other files; none that is not what was listed. */
async function useSkills(client) {
	const { skills } = await client.request('skills/list');
	if (scenario.endsWith('no-prefetch')) return;
	for (const skill of skills) {
		try {
			const read = async (uri) => verifiedBytes(skill, uri, await client.request('resources/read', { uri }));
			await read(skill.uri);
			for (const { uri } of skillFiles(skill)) if (uri !== skill.uri) await read(uri);
		} catch (error) {
			log.info(error.message);
		}
	}
}

/** Lists and reads of each kind. */
async function sendEachMethod(client) {
	const { resources } = await client.request('resources/list');
	for (const { uri } of resources) await client.request('resources/read', { uri });
	const { prompts } = await client.request('prompts/list');
	for (const { name } of prompts) await client.request('prompts/get', { name });
}

/** The calls that the scenario wants, or one of each tool. */
function callsOf(tools) {
	const schemaOf = (wanted) => tools.find(({ name }) => name === wanted)?.inputSchema;
	switch (scenario) {
		case 'json-schema-2020-12-preservation':
			// The server compares what we give back with what it listed.
			return [{ name: 'json_schema_echo', arguments: { schema: schemaOf('json_schema_2020_12_tool') } }];
		case 'json-schema-ref-no-deref':
			return []; // its server has lists only
		default:
			return (
				context.toolCalls ??
				tools.map(({ name, inputSchema }) => ({ name, arguments: valuesOf(inputSchema) }))
			);
	}
}

/** A value for each property: its default, or any one of its type. */
function valuesOf({ properties = {} } = {}) {
	const any = { integer: 1, number: 1, boolean: true, array: [], object: {} };
	return Object.fromEntries(
		Object.entries(properties).map(([name, schema]) => [name, schema.default ?? any[schema.type] ?? 'text']),
	);
}

function settings() {
	if (scenario.includes('cimd'))
		return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' };
	if (scenario.includes('client-credentials'))
		return {
			grant: 'client_credentials',
			clientId: context.client_id,
			clientSecret: context.client_secret,
			privateKey: context.private_key_pem,
		};
	if (scenario.includes('enterprise-managed'))
		return {
			grant: 'enterprise',
			clientId: context.client_id,
			clientSecret: context.client_secret,
			identityProvider: {
				issuer: context.idp_issuer,
				tokenEndpoint: context.idp_token_endpoint,
				clientId: context.idp_client_id,
				idToken: context.idp_id_token,
			},
		};
	if (context.client_id) return { clientId: context.client_id, clientSecret: context.client_secret };
	return {};
}

async function showPage(page) {
	fetch(page)
		.then((response) => response.text())
		.catch((error) => console.error(error));
}
