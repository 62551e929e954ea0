/*
 * The ends that bench/link.mjs compares. Each subject serves echoes in a process of
 * its own (`serve`) and gives the client one function: bytes in, bytes back (`dial`).
 */
import { createHmac, randomFillSync, timingSafeEqual } from 'node:crypto';
import { connect as connectPlain, createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer } from 'node:tls';
import { dial, encodeFrame, FrameReader, listen } from '../dist/internals.js';
import { loadIdentity } from '../dist/plugin/index.js';

const FRAME_BYTES = 16 * 1024 * 1024;
const PROTOCOL = 'orchestra-plugin';
/** Longer than any run: the layer throws out of a timer when a connection that is closing goes idle. */
const LAYER_IDLE_MS = 15 * 60_000;
const LAYER_CLOSE_MS = 2000;

export const subjects = {
	quic: { title: 'our QUIC link', serve: (certs) => serveLink('quic', certs), dial: dialQuic },
	tunnel: {
		title: 'our QUIC link, all on one stream',
		serve: (certs) => serveLink('quic', certs),
		dial: dialTunnel,
	},
	tls: { title: 'our TLS link', serve: (certs) => serveLink('tls', certs), dial: dialTls },
	unix: {
		title: 'our TLS link over a Unix socket',
		serve: (certs) => serveLink('unix', certs),
		dial: dialUnix,
	},
	layer: { title: '@matrixai/quic, ready-made layer', serve: serveLayer, dial: dialLayer, isSlow: true },
	bare: { title: 'a bare TLS socket', serve: serveBare, dial: dialBare },
	plain: { title: 'a plain Unix socket, no TLS', serve: servePlain, dial: dialPlain },
};

async function serveLink(kind, certs) {
	const identity = await loadIdentity(certs, 'orchestrator');
	const onStream = (stream) =>
		stream.receive({ frame: (payload) => stream.send(payload), end: () => stream.end(), fail: () => {} });
	const address = kind === 'unix' ? `unix:${join(certs, `bench-${process.pid}.sock`)}` : '127.0.0.1:0';
	return (await listen({ kind, address, identity, onStream })).address;
}

async function dialQuic(address, certs) {
	const link = await dial({ kind: 'quic', address, identity: await loadIdentity(certs, 'bench-client') });
	const call = (payload) =>
		new Promise((resolve, reject) => {
			const stream = link.openStream();
			stream.receive({ frame: resolve, end: () => {}, fail: reject });
			stream.send(payload);
			stream.end();
		});
	return { call, close: () => link.close() };
}

function dialTunnel(address, certs) {
	return dialOneStream('quic', address, certs);
}

function dialTls(address, certs) {
	return dialOneStream('tls', address, certs);
}

function dialUnix(address, certs) {
	return dialOneStream('unix', address, certs);
}

async function dialOneStream(kind, address, certs) {
	const link = await dial({ kind, address, identity: await loadIdentity(certs, 'bench-client') });
	const stream = link.openStream();
	const { call, take } = inTurn((payload) => stream.send(payload));
	stream.receive({ frame: take, end: () => {}, fail: () => {} });
	return { call, close: () => link.close() };
}

/** Answers come in the order of the calls, so a queue tells them apart. */
function inTurn(send) {
	const waiting = [];
	let first = 0;
	const call = (payload) =>
		new Promise((resolve) => {
			waiting.push(resolve);
			send(payload);
		});
	const take = (payload) => {
		waiting[first++](payload);
		if (first === waiting.length) waiting.length = first = 0;
	};
	return { call, take };
}

async function serveBare(certs) {
	const { ca, certificate: cert, key } = await loadIdentity(certs, 'orchestrator');
	const options = {
		ca,
		cert,
		key,
		requestCert: true,
		minVersion: 'TLSv1.3',
		ALPNProtocols: [PROTOCOL],
		noDelay: true,
	};
	const server = createServer(options, (socket) =>
		socket.on('data', (chunk) => socket.write(chunk)).on('error', () => {}),
	);
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${server.address().port}`;
}

async function dialBare(address, certs) {
	const { ca, certificate: cert, key } = await loadIdentity(certs, 'bench-client');
	const [host, port] = address.split(':');
	const servername = 'localhost';
	const socket = connect({
		host,
		port,
		ca,
		cert,
		key,
		servername,
		minVersion: 'TLSv1.3',
		ALPNProtocols: [PROTOCOL],
		noDelay: true,
	});
	await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
	const { call, take } = inTurn((payload) => socket.write(encodeFrame(payload)));
	const reader = new FrameReader(FRAME_BYTES);
	socket.on('data', (chunk) => reader.push(chunk).forEach(take));
	return { call, close: async () => socket.destroy() };
}

async function servePlain(certs) {
	const path = join(certs, `plain-${process.pid}.sock`);
	const server = createPlainServer((socket) =>
		socket.on('data', (chunk) => socket.write(chunk)).on('error', () => {}),
	);
	await new Promise((resolve) => server.listen(path, resolve));
	return path;
}

async function dialPlain(path) {
	const socket = connectPlain(path);
	await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
	const { call, take } = inTurn((payload) => socket.write(encodeFrame(payload)));
	const reader = new FrameReader(FRAME_BYTES);
	socket.on('data', (chunk) => reader.push(chunk).forEach(take));
	return { call, close: async () => socket.destroy() };
}

/** The layer says everything that happens on stderr unless it is given a logger that is silent. */
async function loadLayer() {
	const { QUICServer, QUICClient, events } = await import('@matrixai/quic');
	const { default: Logger, LogLevel } = await import('@matrixai/logger');
	return { QUICServer, QUICClient, events, logger: new Logger('bench', LogLevel.SILENT) };
}

function layerConfig({ ca, certificate, key }) {
	return {
		ca,
		cert: certificate,
		key,
		verifyPeer: true,
		applicationProtos: [PROTOCOL],
		maxIdleTimeout: LAYER_IDLE_MS,
		initialMaxStreamsBidi: 10_000,
	};
}

async function serveLayer(certs) {
	const { QUICServer, events, logger } = await loadLayer();
	const sign = async (key, data) => {
		const { buffer, byteOffset, byteLength } = createHmac('sha256', Buffer.from(key))
			.update(Buffer.from(data))
			.digest();
		return buffer.slice(byteOffset, byteOffset + byteLength);
	};
	const verify = async (key, data, signature) =>
		timingSafeEqual(Buffer.from(await sign(key, data)), Buffer.from(signature));
	const server = new QUICServer({
		crypto: { key: randomFillSync(new Uint8Array(32)).buffer, ops: { sign, verify } },
		config: layerConfig(await loadIdentity(certs, 'orchestrator')),
		logger,
	});
	server.addEventListener(events.EventQUICServerConnection.name, ({ detail: connection }) => {
		connection.addEventListener(events.EventQUICConnectionStream.name, ({ detail: stream }) => {
			stream.readable.pipeTo(stream.writable).catch(() => {});
		});
	});
	await server.start({ host: '127.0.0.1', port: 0 });
	return `127.0.0.1:${server.port}`;
}

async function dialLayer(address, certs) {
	const { QUICClient, logger } = await loadLayer();
	const [host, port] = address.split(':');
	const client = await QUICClient.createQUICClient({
		host,
		port: Number(port),
		localHost: '127.0.0.1',
		serverName: 'localhost',
		crypto: { ops: { randomBytes: async (data) => void randomFillSync(new Uint8Array(data)) } },
		config: layerConfig(await loadIdentity(certs, 'bench-client')),
		logger,
	});
	const call = async (payload) => {
		const stream = client.connection.newStream();
		const writer = stream.writable.getWriter();
		const writing = writer.write(encodeFrame(payload)).then(() => writer.close());
		const reader = new FrameReader(FRAME_BYTES);
		let answer;
		for await (const chunk of stream.readable) answer = reader.push(Uint8Array.from(chunk))[0] ?? answer;
		await writing;
		return answer;
	};
	const close = () => Promise.race([client.destroy({ force: true }), sleep(LAYER_CLOSE_MS)]);
	return { call, close };
}
