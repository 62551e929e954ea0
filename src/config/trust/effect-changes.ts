/* What a project file would run now, compared with the version that was trusted. */
import type { ProjectEffect } from './project-effects.ts';
import { effectName, recordedText } from './trust-edit.ts';

export interface EffectChange extends ProjectEffect {
	readonly change: 'same' | 'added' | 'changed' | 'removed';
	/** The text of the trusted version, when it is another one. */
	readonly before: string | undefined;
}

/** All effects, with those of `trusted` that are gone at the end. Without `trusted`, all are added. */
export function effectChanges(
	effects: readonly ProjectEffect[],
	trusted: Readonly<Record<string, string>> = {},
): EffectChange[] {
	const names = new Set(effects.map(effectName));
	const now = effects.map((effect): EffectChange => {
		const name = effectName(effect);
		const before = Object.hasOwn(trusted, name) ? trusted[name] : undefined;
		if (before === undefined) return { ...effect, change: 'added', before };
		const isSame = before === recordedText(effect.text);
		return { ...effect, change: isSame ? 'same' : 'changed', before: isSame ? undefined : before };
	});
	const gone = Object.entries(trusted).filter(([name]) => !names.has(name));
	return [...now, ...gone.map(([name, before]) => removed(name, before))];
}

function removed(full: string, before: string): EffectChange {
	const at = full.indexOf(' ');
	const kinds = ['server', 'plugin', 'setting', 'plan'] as const;
	const kind = kinds.find((each) => each === full.slice(0, at)) ?? 'setting';
	return { kind, name: full.slice(at + 1), text: '', isBlocked: false, change: 'removed', before };
}
