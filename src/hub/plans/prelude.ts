/*
 * The part of a plan's world that is written in JavaScript and evaluated before the program.
 *
 * It takes what it uses of the language before the program can replace it. The three functions of the host
 * are parameters, so no program can name them; a program that reached them could do no more than it can anyway:
 * the host numbers the calls, checks every name and argument, and bounds every text.
 */
import { PLAN_ERROR_CHARACTERS, PLAN_VALUE_CHARACTERS } from './plan-limits.ts';

/** Evaluates to a function of the host's functions that returns `[run, answer]`. */
export const prelude: string = `((send, log, finish, seed) => {
'use strict';
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { then } = Promise.prototype;
const { slice } = String.prototype;
const { join } = Array.prototype;
const Later = Promise, Failure = Error, TooLong = RangeError, Wrong = TypeError, text = String, Seen = Proxy;
const waiting = { __proto__: null };
const jsonOf = (value, what) => {
	const json = stringify(value);
	if (json !== undefined && json.length > ${PLAN_VALUE_CHARACTERS})
		throw new TooLong(what + ' has ' + json.length + ' characters as JSON; at most ${PLAN_VALUE_CHARACTERS} are allowed');
	return json;
};
const call = (server, tool, given) => {
	if (given !== undefined && (typeof given !== 'object' || given === null))
		throw new Wrong('the arguments of a tool are one object, not ' + (given === null ? 'null' : typeof given));
	const json = given === undefined ? '{}' : jsonOf(given, 'the argument');
	const stack = apply(slice, text(new Failure().stack), [0, 2000]);
	const number = send(text(server), text(tool), json, stack);
	return new Later((resolve, reject) => { waiting[number] = { __proto__: null, resolve, reject }; });
};
const named = (kind, get) => new Seen(Object.freeze({ __proto__: null }), {
	get: (_, name) => (typeof name === 'string' && name !== 'then' ? get(name) : undefined),
	set: () => { throw new Wrong(kind + ' cannot be changed'); },
});
const give = (name, value) => Object.defineProperty(globalThis, name, { value, enumerable: true });
give('tools', named('tools', (server) => named('tools', (tool) => (given) => call(server, tool, given))));
give('find', (query, options) => call('', 'find_tools', { ...options, query }));
give('look', (request) => call('', 'look', request));
const shown = (value) => {
	if (typeof value === 'string') return value;
	if (value instanceof Failure) return text(value);
	try { return stringify(value) ?? text(value); } catch { return text(value); }
};
const write = (...values) => {
	const all = [];
	for (let at = 0; at < values.length; at++) all[at] = shown(values[at]);
	log(apply(slice, apply(join, all, [' ']), [0, ${PLAN_ERROR_CHARACTERS}]));
};
give('console', Object.freeze({ log: write, info: write, warn: write, error: write, debug: write }));
let state = seed >>> 0;
Math.random = () => {
	state = (state + 0x6d2b79f5) | 0;
	let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
	mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
const failed = (error) => {
	let message = 'the program threw something that cannot be shown', stack = '';
	try {
		// The interpreter throws null when there is no memory for an error.
		message = error instanceof Failure ? text(error.name) + ': ' + text(error.message)
			: error === null ? 'it threw null; its memory may be full' : shown(error);
		stack = text(Object(error).stack ?? '');
	} catch {}
	finish(false, apply(slice, message, [0, ${PLAN_ERROR_CHARACTERS}]), apply(slice, stack, [0, ${PLAN_ERROR_CHARACTERS}]));
};
const ended = (value) => {
	let json;
	try { json = jsonOf(value, 'the result') ?? 'null'; } catch (error) { return failed(error); }
	finish(true, json, '');
};
const run = (plan, input) => {
	const begun = new Later((resolve) => resolve(plan(parse(input))));
	apply(then, begun, [ended, failed]);
};
const answer = (number, isOk, json) => {
	const found = waiting[number];
	delete waiting[number];
	if (isOk) found.resolve(parse(json));
	else {
		const { message, ...more } = parse(json);
		found.reject(Object.assign(new Failure(message), more));
	}
};
return [run, answer];
})`;
