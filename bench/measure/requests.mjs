/*
 * Requests as bytes, encoded before the clock starts. All requests of a ring are
 * equally long, so request `n` is found by multiplication, and so are their
 * answers, so answers are counted by dividing. Ids begin high enough to keep the
 * number of digits.
 */

export const TEXT = 'The quick brown fox jumps over the lazy dog.';
const FIRST_ID = 100_000;
const RING_REQUESTS = 8192;
const NEVER_IN_RING = 1;

const client = { name: 'bench', version: '1.0.0' };
const modernMeta = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientInfo': client,
	'io.modelcontextprotocol/clientCapabilities': {},
};

/** How each dialect opens a conversation and calls the tool. */
const dialects = {
	legacy: {
		open: {
			method: 'initialize',
			params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client },
		},
		opened: { method: 'notifications/initialized' },
		meta: {},
	},
	modern: {
		open: { method: 'server/discover', params: { _meta: modernMeta } },
		opened: undefined,
		meta: { _meta: modernMeta },
	},
};

/** How messages are framed on the pipe. */
export const framings = {
	lines: {
		encode: (text) => `${text}\n`,
		/** The bodies of whole messages at the start of `text`. */
		decode: (text) => text.split('\n').slice(0, -1),
	},
	headers: {
		encode: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
		decode(text) {
			const bodies = [];
			for (let at = 0; ; ) {
				const body = text.indexOf('\r\n\r\n', at) + 4;
				if (body === 3) return bodies;
				const end = body + Number(/Content-Length: (\d+)/.exec(text.slice(at, body))[1]);
				if (end > text.length) return bodies;
				bodies.push(text.slice(body, end));
				at = end;
			}
		},
	},
};

const echoTalk = {
	params: (text) => ({ name: 'echo', arguments: { text } }),
	textOf: (result) => result?.content?.[0]?.text,
};

/** Everything that a driver says in one dialect and framing; `talk`: how the echo tool is called, and its text in the result. */
export function script(dialect, framing, { params, textOf } = echoTalk) {
	const { open, opened, meta } = dialects[dialect];
	const encode = (message) =>
		Buffer.from(framings[framing].encode(JSON.stringify({ jsonrpc: '2.0', ...message })));
	const call = (id, text) => encode({ id, method: 'tools/call', params: { ...params(text), ...meta } });
	return {
		decode: framings[framing].decode,
		textOf,
		open: encode({ id: NEVER_IN_RING, ...open }),
		opened: opened && encode(opened),
		call,
		ring: new Ring((id) => call(id, TEXT)),
	};
}

class Ring {
	#bytes;
	#at = 0;

	constructor(encode) {
		const requests = Array.from({ length: RING_REQUESTS }, (_, n) => encode(FIRST_ID + n));
		this.size = requests[0].length;
		this.#bytes = Buffer.concat(requests);
	}

	/** The next `count` requests, in as few pieces as the ring allows. */
	take(count) {
		const end = this.#at + count;
		const piece = this.#bytes.subarray(this.#at * this.size, end * this.size);
		this.#at = end % RING_REQUESTS;
		if (end <= RING_REQUESTS) return [piece];
		return [piece, this.#bytes.subarray(0, this.#at * this.size)];
	}

	/** The id of the request that `take` gives next. */
	get nextId() {
		return FIRST_ID + this.#at;
	}
}
