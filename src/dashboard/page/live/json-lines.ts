/* One JSON value per line from a stream of bytes. Chunks are joined once per line. */

export async function* readJsonLines<T>(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<T> {
	const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
	let held: string[] = [];
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			const [first = '', ...rest] = value.split('\n');
			held.push(first);
			for (const next of rest) {
				const line = held.join('');
				held = [next];
				if (line !== '') yield JSON.parse(line);
			}
		}
		const last = held.join('');
		if (last !== '') yield JSON.parse(last);
	} finally {
		await reader.cancel().catch(() => {}); // the stream may have failed already
	}
}
