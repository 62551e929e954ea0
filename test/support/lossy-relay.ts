/* A UDP relay between one client and one server that loses some datagrams both ways, always the same ones. */
import { createSocket, type Socket } from 'node:dgram';

export interface LossyRelay {
	address: string;
	readonly lost: number;
	readonly passed: number;
	close(): void;
}

export interface Losses {
	/** The share of datagrams that is lost, both ways. */
	rate?: number;
	/** How many datagrams of the server pass before all of them are lost. */
	answers?: number;
}

export async function openLossyRelay(target: string, losses: Losses): Promise<LossyRelay> {
	const { rate = 0, answers = Number.POSITIVE_INFINITY } = losses;
	const [host = '', port = ''] = target.split(':');
	const front = createSocket('udp4');
	const back = createSocket('udp4');
	await Promise.all([bind(front), bind(back)]);
	const random = seededRandom(7);
	let client: { address: string; port: number } | undefined;
	let lost = 0;
	let passed = 0;
	const survives = (): boolean => {
		const isLost = random() < rate;
		if (isLost) lost++;
		else passed++;
		return !isLost;
	};
	front.on('message', (data, from) => {
		client = from;
		if (survives()) back.send(data, Number(port), host);
	});
	let answered = 0;
	back.on('message', (data) => {
		if (client && answered++ < answers && survives()) front.send(data, client.port, client.address);
	});
	return {
		address: `127.0.0.1:${front.address().port}`,
		get lost() {
			return lost;
		},
		get passed() {
			return passed;
		},
		close: () => {
			front.close();
			back.close();
		},
	};
}

function bind(socket: Socket): Promise<void> {
	return new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
}

function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
