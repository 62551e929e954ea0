/* A small table of word vectors, as bytes. */

/** Stems with their rows of whole numbers from -127 to 127, all of one length. */
export function tableOf(rows: Readonly<Record<string, readonly number[]>>, scale = 0.01): Uint8Array {
	const text = new TextEncoder().encode(Object.keys(rows).join('\n'));
	const values = Object.values(rows);
	const dimensions = values[0]?.length ?? 0;
	const bytes = new Uint8Array(20 + text.length + values.length * (4 + dimensions));
	const view = new DataView(bytes.buffer);
	bytes.set(new TextEncoder().encode('orchwv01'));
	view.setUint16(8, dimensions, true);
	view.setUint32(12, values.length, true);
	view.setUint32(16, text.length, true);
	bytes.set(text, 20);
	const scalesAt = 20 + text.length;
	values.forEach((row, index) => {
		view.setFloat32(scalesAt + 4 * index, scale, true);
		bytes.set(Int8Array.from(row), scalesAt + 4 * values.length + index * dimensions);
	});
	return bytes;
}
