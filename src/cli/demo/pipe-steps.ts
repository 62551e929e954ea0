/* Steps that show the pipes: any program, many calls, a death that is explained. */
import { OrchestraError } from '../../errors.ts';
import { Client } from '../../transport/client.ts';
import { connect } from '../../transport/connect.ts';
import { type DemoStep, expect } from './step.ts';

/** A whole JSON-RPC server in one line of Node, as a user would write it by hand. */
const tinyServer = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { method, params } }));
})`;

export const pipeSteps: readonly DemoStep[] = [
	{ title: 'any program that reads and prints JSON lines can be talked to', run: echoValues },
	{ title: 'a JSON-RPC server answers 1,000 calls in flight', run: callThousand },
	{ title: 'a server that dies says why', run: explainDeath },
];

async function echoValues(): Promise<string[]> {
	const connection = await connect('stdio:cat');
	try {
		await connection.send({ foo: 42 });
		const value = await connection.recv();
		expect(JSON.stringify(value), '{"foo":42}');
		return [`stdio:cat ⇄ ${JSON.stringify(value)}`];
	} finally {
		await connection.close();
	}
}

async function callThousand(): Promise<string[]> {
	const client = await Client.open(
		{ command: process.execPath, args: ['-e', tinyServer] },
		{ stderr: 'discard' },
	);
	try {
		const numbers = Array.from({ length: 1000 }, (_, index) => index);
		const answers = await Promise.all(numbers.map((n) => client.request('echo', { n })));
		expect(JSON.stringify(answers.at(-1)), '{"method":"echo","params":{"n":999}}');
		return [`${answers.length} answers, each with its own caller`];
	} finally {
		await client.close();
	}
}

async function explainDeath(): Promise<string[]> {
	const script = "process.stderr.write('config.json: no such file\\n'); process.exit(3)";
	const client = await Client.open(
		{ command: process.execPath, args: ['-e', script] },
		{ stderr: 'discard' },
	);
	try {
		await client.request('ping');
	} catch (error) {
		const { message, hint = '', data } = OrchestraError.from(error);
		expect(data['exitCode'], 3);
		return [message, hint.replace(/^`.*?` /s, 'The server ')];
	} finally {
		await client.close();
	}
	throw new OrchestraError('internal', 'a killed server responded');
}
