/* What a hub does about project files that are not trusted: tell clients, explain calls, follow the record. */
import { isDeepStrictEqual } from 'node:util';
import type { LoadedConfiguration } from '../config/load.ts';
import { type HeldBack, heldBackText, trustHint } from '../config/trust/held-back.ts';
import { TrustRecord } from '../config/trust/trust-record.ts';
import { watchFiles } from '../files/watch-files.ts';
import { toolPrefix } from '../trust/tool-name.ts';

/** The instructions for agents: an agent that misses tools can say why. The decision is the user's. */
export function trustInstructions(heldBack: readonly HeldBack[]): string | undefined {
	if (heldBack.length === 0) return undefined;
	const sentences = heldBack.map((held) => `${heldBackText(held)}.`);
	const folder = heldBack[0]?.folder ?? '';
	const advice = `To use them, the user has to look at the file and run "mctl trust" in ${folder}. Tell the user when one of them is needed; do not run the command yourself.`;
	return [...sentences, advice].join(' ');
}

/** A sentence that says why a tool is not there, when its server is held back or its plugin may be. */
export function heldBackReason(tool: string, heldBack: readonly HeldBack[]): string | undefined {
	const why = (held: HeldBack): string => `${held.file} is not trusted; the user can ${trustHint(held)}`;
	for (const held of heldBack) {
		const isItsServer = held.effects.some(
			({ kind, name }) => kind === 'server' && tool.startsWith(toolPrefix(name)),
		);
		if (isItsServer) return `Its server is held back: ${why(held)}`;
	}
	const other = heldBack.find(({ effects }) => effects.some(({ kind }) => kind === 'plugin'));
	return other && `It may belong to a plugin that is held back: ${why(other)}`;
}

/**
 * Watch the record of trust; returns a function that stops it. The record changes with every project of the user, so
 * `reload` is called only when that changes the configuration of this hub.
 */
export function watchTrust(
	environment: Readonly<NodeJS.ProcessEnv>,
	{ load, current, reload }: TrustChange,
): () => void {
	return watchFiles([TrustRecord.ofUser(environment).file], () => {
		const [now, next] = [current(), load()];
		const isSame = isDeepStrictEqual([next.configuration, next.heldBack], [now.configuration, now.heldBack]);
		if (!isSame) reload();
	});
}

export interface TrustChange {
	/** Reads the configuration anew. */
	readonly load: () => LoadedConfiguration;
	/** The configuration in use. */
	readonly current: () => LoadedConfiguration;
	readonly reload: () => void;
}
