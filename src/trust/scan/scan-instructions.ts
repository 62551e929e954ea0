/*
 * Instructions in the text of a tool that are not about the tool: to read secrets, to
 * hide something from the user, to ignore other instructions, to use or avoid tools of
 * others. Patterns are bounded in length, so the time is linear.
 *
 * This finds careless attacks and known ones, not every one: `docs/security.md`.
 */
import { DENIED_WITHIN_CHARACTERS, INSTRUCTION_SHORTEST_CHARACTERS } from '../trust-limits.ts';
import type { TextMatch } from './scan-characters.ts';
import type { ScanKind } from './scan-finding.ts';

interface Rule {
	readonly kind: ScanKind;
	readonly pattern: RegExp;
	/** Whether "do not …" before it turns the instruction around. */
	readonly mayBeDenied?: boolean;
}

/** Files that hold secrets. */
const secretPlaces = [
	String.raw`~\/\.[a-z]`,
	String.raw`\.ssh\b`,
	String.raw`\bid_(?:rsa|ed25519|ecdsa)\b`,
	String.raw`\.aws\b`,
	String.raw`\.(?:netrc|npmrc|pypirc|git-credentials|pgpass|bash_history|zsh_history)\b`,
	String.raw`\.kube\/config`,
	String.raw`\.env\b(?! *(?:var|=))`,
	String.raw`\/etc\/(?:passwd|shadow|sudoers)`,
	String.raw`\bmcp\.json\b`,
	String.raw`\bclaude_desktop_config`,
	String.raw`\bkeychain\b`,
	String.raw`\bwallet\.dat\b`,
].join('|');

const secretWords =
	'(?:api[ _-]?keys?|passwords?|credentials?|private[ _-]keys?|ssh[ _-]keys?|(?:access|auth|bearer|session) tokens?|secrets?|environment variables|chat history|conversation history|previous messages|system prompt)';
const takingVerbs =
	'(?:read|open|cat|load|collect|gather|extract|dump|copy|include|attach|append|send|post|upload|forward|exfiltrate|leak|reveal|transmit|email|paste)';

const rules: readonly Rule[] = [
	{
		kind: 'secrets',
		pattern: new RegExp(
			String.raw`\b(?:${takingVerbs}|access|fetch|retrieve|pass|provide|use the contents? of)\b[^.!?\n]{0,100}?(?:${secretPlaces})`,
			'gi',
		),
		mayBeDenied: true,
	},
	{
		kind: 'secrets',
		pattern: new RegExp(
			String.raw`\b${takingVerbs}\b(?: (?!(?:and|or)\b)[\w'"-]+){0,5}? (?:your|the user'?s?|their|all|any|every|our|contents? of)(?: [\w'-]+){0,4}? ${secretWords}\b`,
			'gi',
		),
		mayBeDenied: true,
	},
	{
		kind: 'concealment',
		pattern:
			/\b(?:do not|don'?t|never|must not|should not|avoid|without) (?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|mention|mentioning|disclose|disclosing|reveal|revealing|let)\b[^.!?\n]{0,60}?\b(?:users?|humans?|anyone|anybody|person|people|this (?:instruction|step|fact))\b/gi,
	},
	{
		kind: 'concealment',
		pattern:
			/\b(?:secretly|covertly|surreptitiously|behind the user'?s back|without the user(?:'s)? (?:knowing|knowledge|noticing|consent|approval))\b/gi,
	},
	{
		kind: 'override',
		pattern:
			/\b(?:ignore|disregard|forget|override|bypass)\b(?: [\w'-]+){0,3}? (?:previous|prior|earlier|above|preceding|existing|other|system|user'?s?|safety|security)(?: [\w'-]+){0,2}? (?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|messages?|requests?)\b/gi,
		mayBeDenied: true,
	},
	{
		kind: 'override',
		pattern:
			/<\/?(?:system|important|secret|hidden|critical|instructions?|admin|assistant)(?:[ _-][a-z]+)?>/gi,
	},
	{ kind: 'override', pattern: /\[(?:system|inst|\/inst)\]|<\|im_(?:start|end)\|>|<\|(?:system|user)\|>/gi },
	{
		kind: 'other-tools',
		pattern:
			/\b(?:before|after|whenever|when|instead of|prior to) (?:using|calling|invoking|running|you (?:use|call|invoke|run)) (?:any|every|all|each)(?: of the)?(?: other)? (?:tools?|functions?|mcp)\b/gi,
	},
	{
		kind: 'other-tools',
		pattern:
			/\b(?:never|do not|don'?t|stop|must not|instead of|rather than) (?:ever )?(?:use|using|call|calling|invoke|invoking|run|running) (?:any |the )?(?:other|built-?in|default|native|existing)\b[^.!?\n]{0,60}?\b(?:tools?|functions?|servers?)\b/gi,
	},
	{
		kind: 'other-tools',
		pattern:
			/\b(?:must|always|should|required to)\b[^.!?\n]{0,30}?\b(?:call|use|run|invoke)(?:ed)?\b[^.!?\n]{0,40}?\b(?:before|after) (?:any|every|each|all)(?: other)? (?:tools?|calls?|functions?|responses?|messages?|requests?)\b/gi,
	},
];

const DENIED = /\b(?:not|never|no|without|don'?t|cannot|can'?t|avoid|nor)\b[^.!?\n]{0,60}$/i;

/** The first place of each kind. @param text as `plainText` gives it */
export function scanInstructions(text: string): TextMatch[] {
	if (text.length < INSTRUCTION_SHORTEST_CHARACTERS) return [];
	const found = new Map<ScanKind, TextMatch>();
	for (const { kind, pattern, mayBeDenied = false } of rules) {
		if (found.has(kind)) continue;
		for (const match of text.matchAll(pattern)) {
			const before = text.slice(Math.max(0, match.index - DENIED_WITHIN_CHARACTERS), match.index);
			if (mayBeDenied && DENIED.test(before)) continue;
			found.set(kind, { kind, from: match.index, to: match.index + match[0].length });
			break;
		}
	}
	return [...found.values()];
}
