/*
 * The shapes of well-known tokens. Each expression is linear: after a fixed prefix,
 * one character class is repeated, or disjoint ones follow each other.
 */
import { TOKEN_LONG_CHARACTERS } from './core-limits.ts';

export interface TokenShape {
	readonly shape: RegExp;
	readonly replace: (match: string, ...groups: string[]) => string;
}

/** The replacement of a secret. */
export const MASK = '•••';
const all = (): string => MASK;

/** GitHub, GitLab, Slack, AWS, OpenAI, Anthropic, Stripe, Google, npm, Hugging Face, and JSON Web Tokens. */
const prefixed =
	/gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent)-[\w-]{16,}(?:\.[\w-]+){0,3}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|(?<![\w-])sk-[\w-]{20,}|[prs]k_(?:live|test)_\w{16,}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,}|eyJ[\w-]{17,}(?:\.[\w-]+){0,4}/g;

/** The scheme stays, so that a reader sees what was there. `Bearer authentication` is prose. */
const authorization = /\b(Bearer|Basic|Token)(\s{1,4})([\w.~+/=-]{8,})/gi;

function withoutCredential(match: string, scheme = '', space = '', value = ''): string {
	const isToken = /[\d_=]/.test(value) || value.length >= TOKEN_LONG_CHARACTERS;
	return isToken && !isVariableName(value) ? `${scheme}${space}${MASK}` : match;
}

/** `GITHUB_TOKEN`: a reader needs the name of the variable, and it is no secret. */
function isVariableName(value: string): boolean {
	return /^[A-Z]+(?:_[A-Z]+)+$/.test(value);
}

/** `${GITHUB_TOKEN}`: where a secret is taken from. A default in it may be a secret, so it may have none. */
function isReference(value: string): boolean {
	return /^\$\{\w+\}$/.test(value);
}

/** The password of `scheme://user:password@host`. */
const urlPassword = /(:\/\/[^\s/:@]{0,64}:)([^\s/@]{1,256})(?=@)/g;

/** Query parameters and form fields with a telling name. */
const parameter =
	/((?:^|[?&\s])(?:access_token|refresh_token|id_token|token|api_?key|client_secret|secret|password|code_verifier)=)([^&\s"'<>]{8,})/gi;

const privateKey = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[A-Za-z0-9+/=\s\\]+/g;

function withoutValue(match: string, start = '', value = ''): string {
	return isReference(value) ? match : start + MASK;
}

/** The shapes in the order in which they are replaced. */
export const tokenShapes: readonly TokenShape[] = [
	{ shape: prefixed, replace: all },
	{ shape: authorization, replace: withoutCredential },
	{ shape: urlPassword, replace: withoutValue },
	{ shape: parameter, replace: withoutValue },
	{ shape: privateKey, replace: (_, start = '') => start + MASK },
];
