/*
 * Other verbs for what a tool does, from the verb in its name: `create_issue` creates, and
 * "open a new ticket" asks for that. They are terms of the tool like others: how rare a verb
 * is among the tools decides what it is worth, so that it never outranks the thing.
 */
import { stem } from '../../search/text/stem.ts';
import { wordsOf } from '../../search/text/words.ts';

/** Verbs of one action; the first is its name. */
const actions = [
	'read get show view fetch display inspect see retrieve load print describe look check tell dump',
	'list enumerate all which',
	'search find query lookup locate where look',
	'create add make new write insert open publish post generate set register schedule file draw',
	'update edit change modify set patch replace rename adjust reassign write close',
	'delete remove drop erase clear wipe purge destroy uninstall forget discard',
	'move transfer relocate rename',
	'copy duplicate clone fork',
	'run execute trigger play exec start launch invoke',
	'stop cancel kill abort end halt terminate close',
	'retry restart rerun redo again',
	'download save export pull',
	'upload attach import push send',
	'approve accept confirm',
	'merge combine join',
	'navigate open visit browse go',
	'press hit type enter fill',
	'validate verify check lint test assert',
	'wait until await',
	'install deploy apply',
	'assign give hand',
	'commit record',
	'protect lock secure',
	'compare diff changed difference',
	'count many number',
	'explain why',
	'connect link join relate',
	'comment reply note remark',
].map((line) => line.split(' '));

/** The numbers of the actions of each verb, by its stem. */
const byVerb: ReadonlyMap<string, readonly number[]> = collectVerbs();

/** Other verbs for what the first verb of a name does. */
export function verbsOf(name: string): string {
	return actionsOfTool(name)
		.flatMap((action) => actions[action] ?? [])
		.join(' ');
}

/** The actions of a tool: those of the first verb in its name. */
function actionsOfTool(name: string): readonly number[] {
	for (const word of wordsOf(name.replace(/[^\p{L}\p{N}]+/gu, ' '))) {
		const found = byVerb.get(stem(word));
		if (found) return found;
	}
	return [];
}

function collectVerbs(): Map<string, number[]> {
	const found = new Map<string, number[]>();
	for (const [number, verbs] of actions.entries()) {
		for (const verb of verbs) found.set(stem(verb), [...(found.get(stem(verb)) ?? []), number]);
	}
	return found;
}
