/*
 * An asker without a model: it sees a question, the shortened result with its notice, and `look`, which it
 * may use four times. It has one policy for all questions and never sees the answer.
 *
 * It takes the terms of the question, the rarest in the preview first. A question for a number is counted, by a
 * filter when the shape in the notice has the key, else by a pattern. Anything else is searched: the terms together,
 * then one by one, until what was found has most of the terms.
 */
const LOOKS = 4;
/** Of the terms, in what was found; with fewer it goes on. */
const ENOUGH = 0.6;
/** Lines of a preview that are read together. */
const WINDOW = 4;

const STOP = new Set(
	(
		'a about after all alone already altogether among an and any are as at be before because begin begins besides between brings brought by can did do does for from gets give gives ' +
		'has have how i if in into is it its itself list long make many may means more most much must no nobody not of on once one only or other outside same say says see ' +
		'send sends several shows so some stand stands still take takes tell tells than that the their them then there they this to twice under until up usual was were what when where ' +
		'which while who whose why will with without would you'
	).split(' '),
);
/** What follows "how many" when a size is asked for, which stands somewhere, and not a number of things. */
const UNITS = /^(bytes|kilobytes|seconds|milliseconds|tokens|characters)$/;
const GREATEST = /\b(largest|longest|biggest|highest|latest|newest)\b/i;
const LEAST = /\b(smallest|shortest|lowest|oldest|earliest)\b/i;

/** Ask until it is enough. `look` takes the arguments without the handle and returns what was found. */
export function askAbout({ question, shown, notice, look }) {
	const terms = termsOf(question, shown);
	if (isCounted(question, notice)) return count({ question, terms, notice, look });
	if (/\blast line\b/i.test(question)) return void look({ op: 'tail', lines: 3 });
	if (bestWindow(shown, terms) === 1) return;
	const sorted = sortedBy(question, notice);
	if (sorted !== undefined) return void look({ op: 'select', select: sorted });
	const seen = [];
	for (const pattern of patternsOf(terms).slice(0, LOOKS)) {
		const { text } = look({ op: 'grep', pattern, context: 4 });
		seen.push(text);
		if (bestWindow(seen.join('\n'), terms) >= ENOUGH) return;
	}
}

/** Names first, then words; those that the preview has most often come last. */
function termsOf(question, shown) {
	const words = question
		.replace(/[?(),]|\.$|'s\b/g, ' ')
		.split(/\s+/)
		.filter((word) => word !== '');
	const terms = words.flatMap((text, at) => {
		const isName = /[\d_./:-]|\p{Ll}\p{Lu}|\p{Lu}{2}/u.test(text) || (at > 0 && /^\p{Lu}/u.test(text));
		return STOP.has(text.toLowerCase()) || text.length < 2
			? []
			: [{ text, stem: isName ? text : stemOf(text), isName }];
	});
	const text = shown.toLowerCase();
	const cost = ({ stem, isName }) =>
		Math.min(99, text.split(stem.toLowerCase()).length - 1) + (isName ? 0 : 10);
	return terms.sort((a, b) => cost(a) - cost(b));
}

/** Without its ending, so that "registered" finds "registration". */
function stemOf(word) {
	const short = word.toLowerCase().replace(/(ations?|ings?|ions?|ies|ed|es|s|e|y)$/, '');
	return short.length < 3 ? word.toLowerCase() : short;
}

/** The largest part of the terms that stand within a few lines. */
function bestWindow(text, terms) {
	const lines = text.toLowerCase().split('\n');
	let best = 0;
	const stems = terms.map(({ stem }) => stem.toLowerCase());
	for (let at = 0; at < lines.length; at++) {
		const window = lines
			.slice(at, at + WINDOW)
			.join('\n')
			.slice(0, 4000);
		best = Math.max(best, stems.filter((stem) => window.includes(stem)).length / Math.max(1, stems.length));
	}
	return best;
}

/** The two best terms in a line, each of the best alone, pairs of the others. */
function patternsOf(terms) {
	const [first, second, third] = terms.map(({ stem }) => escaped(stem));
	const pair = (a, b) => (a === undefined || b === undefined ? [] : [`/${a}.*${b}|${b}.*${a}/i`]);
	return [
		...pair(first, second),
		...pair(first, third),
		...[first, second].flatMap((each) => (each === undefined ? [] : [`/${each}/i`])),
	];
}

function escaped(text) {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A number of things that nothing but counting gives. */
function isCounted(question, notice) {
	const [, thing, next] = /^how many (\w+)(?:.*?\b(may|at most|by default))?/i.exec(question) ?? [];
	return thing !== undefined && next === undefined && !UNITS.test(thing) && !keysOf(notice).includes(thing);
}

function count({ question, terms, notice, look }) {
	const words = question
		.replace(/[?(),]/g, ' ')
		.trim()
		.split(/\s+/);
	const [, , thing = ''] = words;
	for (const { path, keys } of arraysOf(notice)) {
		const at = words.findIndex((word) => keys.includes(word));
		const value = words.at(at + 1);
		if (at !== -1 && value !== undefined)
			return void look({ op: 'count', select: `${path}[?${keyText(words[at])}=='${value}']` });
	}
	const names = terms.filter(({ isName }) => isName);
	const others = terms.filter(({ text }) => text !== thing);
	const wanted =
		names.length > 0
			? [...others.filter(({ isName }) => !isName && keysOf(notice).includes(isName)), ...names]
			: others;
	if (wanted.length === 0 || /\b(are there|altogether|recorded|in the (graph|tree|file))\b/i.test(question))
		return void look({ op: 'count', ...selectOf(thing, notice) });
	look({ op: 'count', pattern: `/${wanted.map(({ text }) => `\\b${escaped(text)}\\b`).join('.*')}/i` });
}

/** The array that is called like the thing, else the records. */
function selectOf(thing, notice) {
	const array = arraysOf(notice).find(({ path }) => path.endsWith(thing));
	return array === undefined ? {} : { select: array.path };
}

function sortedBy(question, notice) {
	const isGreatest = GREATEST.test(question);
	if (!isGreatest && !LEAST.test(question)) return undefined;
	const [array] = arraysOf(notice).filter(({ numbers }) => numbers.length > 0);
	return (
		array &&
		`sort_by(${array.path === '' ? '@' : array.path}, &${keyText(array.numbers[0])})${isGreatest ? '[-3:]' : '[:3]'}`
	);
}

/** Arrays of objects in the shape of a notice, with their keys. */
function arraysOf(notice) {
	const [, shape = ''] = /Shape: (.*?)\. The whole is kept/s.exec(notice) ?? [];
	return [...shape.matchAll(/(?:([\w"@/.-]+)\??: )?\[[\d,–]+ × \{([^{}[\]]*)/g)].map(([, name, members]) => {
		const pairs = [...members.matchAll(/([\w]+|"[^"]*")\??: ([\w|]+)/g)];
		return {
			path: name === undefined ? '' : keyText(name.replaceAll('"', '')),
			keys: pairs.map(([, key]) => key.replaceAll('"', '')),
			numbers: pairs.filter(([, , kind]) => kind === 'number').map(([, key]) => key),
		};
	});
}

function keysOf(notice) {
	return arraysOf(notice).flatMap(({ keys }) => keys);
}

function keyText(name) {
	return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
