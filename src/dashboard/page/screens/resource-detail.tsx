/* A resource or a template of resources: read it here. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { quoted } from '../../../printable.ts';
import { CallProgressView } from '../call/call-progress.tsx';
import { ResultView } from '../call/result-view.tsx';
import { pathWith } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { CommandText, CopyButton } from '../parts/command-text.tsx';
import { ErrorText, Panel } from '../parts/panel.tsx';
import { attributeText, VisibleText } from '../text/visible-text.tsx';

export function ResourceDetail({ uri, isTemplate }: { uri: string; isTemplate: boolean }): JSX.Element {
	const { runs } = useDashboard();
	const key = `resources/read ${uri}`;
	const run = useMemo(() => runs.run(key), [key]);
	const given = useMemo(() => runs.draft<Readonly<Record<string, string>>>(key, {}), [key]);
	const names = isTemplate ? variablesOf(uri) : [];
	const address = names.reduce(
		(text, name) => text.replaceAll(`{${name}}`, () => encodeURIComponent(given.value[name] ?? '')),
		uri,
	);
	const read = (event: Event): void => {
		event.preventDefault();
		void runs.start(run, pathWith('/api/resource', { uri: address }));
	};
	return (
		<article class="offer-page">
			<header>
				<h2>
					<VisibleText text={uri} isLine />
				</h2>
				<CopyButton label="Copy URI" text={address} what="the URI" />
			</header>
			<Panel title={isTemplate ? 'Fill in and read' : 'Read it'}>
				<form class="try" onSubmit={read}>
					{names.map((name) => (
						<label class="field">
							<VisibleText text={name} isLine />
							<input
								type="text"
								name={attributeText(name)}
								value={given.value[name] ?? ''}
								onInput={(event) => (given.value = { ...given.value, [name]: event.currentTarget.value })}
							/>
						</label>
					))}
					<p class="actions">
						<button type="submit" class="primary" disabled={run.status.value === 'running'}>
							Read
						</button>
						<CommandText command={`mctl read ${quoted(address)}`} />
					</p>
				</form>
				<CallProgressView run={run} />
				{run.error.value && <ErrorText error={run.error.value} />}
				{run.result.value && <ResultView key={run.number.value} result={run.result.value} />}
			</Panel>
		</article>
	);
}

/** Names in a URI template, without the operators of RFC 6570. */
function variablesOf(template: string): string[] {
	return [...new Set([...template.matchAll(/\{([\w.-]{1,60})\}/g)].map(([, name = '']) => name))];
}
