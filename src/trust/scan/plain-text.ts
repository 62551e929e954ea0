/*
 * Text without the tricks that hide words from a reader or from a pattern: invisible
 * characters are removed, and letters of other scripts that look like Latin ones are
 * replaced by them.
 */

/** Characters that a reader does not see; joiners and marks that scripts need are judged by their neighbours. */
export const HIDDEN: RegExp =
	// oxlint-disable-next-line no-misleading-character-class -- single code points are looked for
	/[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B-\u200D\u2060-\u2064\u206A-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF9-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

/** Characters that change the order in which text is shown. */
export const BIDIRECTIONAL: RegExp = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Each Latin character with letters of other scripts that look like it; NFKC covers the rest. */
const lookAlikes: Readonly<Record<string, string>> = {
	a: 'аɑα',
	b: 'Ьʙ',
	c: 'сϲ',
	d: 'ԁɗ',
	e: 'еҽє',
	g: 'ɡց',
	h: 'һհ',
	i: 'іıɩιӏ',
	j: 'јϳ',
	k: 'κкᴋ',
	l: 'ⅼǀ',
	m: 'мｍ',
	n: 'ոռ',
	o: 'оοօഠ',
	p: 'рρ',
	q: 'ԛզ',
	r: 'гᴦ',
	s: 'ѕꜱ',
	t: 'тτᴛ',
	u: 'υսᴜ',
	v: 'νѵᴠ',
	w: 'ѡԝᴡ',
	x: 'хχ',
	y: 'уүγ',
	z: 'ᴢʐ',
	A: 'АΑ',
	B: 'ВΒ',
	C: 'СϹ',
	E: 'ЕΕ',
	H: 'НΗ',
	I: 'ІΙӀ',
	K: 'КΚ',
	M: 'МΜ',
	N: 'Ν',
	O: 'ОΟ',
	P: 'РΡ',
	S: 'Ѕ',
	T: 'ТΤ',
	X: 'ХΧ',
	Y: 'ҮΥ',
	Z: 'Ζ',
	_: '＿‗',
	'-': '‐‑‒–—−',
};

const latinOf: ReadonlyMap<string, string> = new Map(
	Object.entries(lookAlikes).flatMap(([latin, others]) =>
		Array.from(others, (other) => [other, latin] as const),
	),
);

/** Anything but printable ASCII and blanks. */
const OTHERS = /[^ -~\s]/u;

/** The text as a reader or a model understands it. */
export function plainText(text: string): string {
	if (!OTHERS.test(text)) return text;
	const visible = text.replace(HIDDEN, '').replace(BIDIRECTIONAL, '').normalize('NFKC');
	return visible.replace(/[^ -~\s]/gu, (char) => latinOf.get(char) ?? char);
}
