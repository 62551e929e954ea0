import { Child } from '../../src/process/child.ts';
import { ChildTransport } from '../../src/transport/child-transport.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { StdioTransport } from '../../src/transport/stdio-transport.ts';
import { type Opened, transportContract } from '../support/transport-contract.ts';

transportContract('memory', async () => {
	const [transport, other] = memoryPair();
	other.start({ message: (text) => void other.post(text), oversize: () => {}, end: () => {} });
	return { transport, endOther: () => void other.close() };
});

transportContract('child', async () => {
	const transport = await ChildTransport.open({ command: 'cat' });
	return { transport, endOther: () => process.kill(transport.pid, 'SIGKILL') };
});

transportContract('own stdio', openOverStreams);

/** Our own stdio, with the streams of a real `cat` in the place of stdin and stdout. */
async function openOverStreams(): Promise<Opened> {
	const child = await Child.start({ command: 'cat' });
	const transport = new StdioTransport({ input: child.stdout, output: child.stdin });
	return { transport, endOther: () => child.stdin.end() };
}
