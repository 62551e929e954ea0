/* A resource or a template of resources: what it is, and a way to read it. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { quoted } from '../../../../printable.ts';
import { fillTemplate, templateNames } from '../../../../protocol/uri-template.ts';
import type { ResourceReply } from '../../../api/api-catalogue.ts';
import { CallProgressView } from '../../call/call-progress.tsx';
import { ToolResultView } from '../../call/tool-result.tsx';
import { CommandText, CopyButton } from '../../components/command-text.tsx';
import { Fact, Panel } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { pathWith } from '../../live/api-client.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { formatBytes } from '../../text/quantities.ts';
import { attributeText, visibleLine } from '../../text/visible-text.tsx';
import { ItemFacts } from './item-facts.tsx';

export function ResourceDetail({ uri, isTemplate }: { uri: string; isTemplate: boolean }): JSX.Element {
	const { runs } = useDashboard();
	const key = `resources/read ${uri}`;
	const run = useMemo(() => runs.run(key), [key]);
	const given = useMemo(() => runs.draft<Readonly<Record<string, string>>>(key, {}), [key]);
	const names = isTemplate ? templateNames(uri) : [];
	const address = isTemplate ? fillTemplate(uri, given.value) : uri;
	const read = (event: Event): void => {
		event.preventDefault();
		void runs.start(run, pathWith('/api/resource', { uri: address }));
	};
	return (
		<article class="item-page">
			<header>
				<h2>{visibleLine(uri)}</h2>
				<CopyButton label="Copy URI" text={address} what="the URI" />
			</header>
			<ResourceFacts uri={uri} />
			<Panel title={isTemplate ? 'Fill in and read' : 'Read it'}>
				<form class="try" onSubmit={read}>
					{names.map((name) => (
						<label class="field">
							{visibleLine(name)}
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
					</p>
					<CopyAs uri={address} />
				</form>
				<CallProgressView run={run} />
				{run.result.value && <ToolResultView key={run.number.value} result={run.result.value} />}
			</Panel>
		</article>
	);
}

/** The metadata of the resource. A resource that is not listed may be readable all the same. */
function ResourceFacts({ uri }: { uri: string }): JSX.Element | null {
	const fetched = useFetched<ResourceReply>(pathWith('/api/resource/facts', { uri }));
	const { backend = null, resource = null } = fetched.value.value ?? {};
	if (backend === null || resource === null) return null;
	const { title, name, description, mimeType, size } = resource;
	const heading = typeof title === 'string' ? title : name;
	return (
		<ItemFacts name={uri} backend={backend} title={heading} description={description}>
			{typeof mimeType === 'string' && <Fact name="type">{visibleLine(mimeType)}</Fact>}
			{typeof size === 'number' && <Fact name="size">{formatBytes(size)}</Fact>}
		</ItemFacts>
	);
}

function CopyAs({ uri }: { uri: string }): JSX.Element {
	const request = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
	return (
		<p class="copy-as">
			<CommandText command={`mctl read ${quoted(uri)}`} />
			<CopyButton label="Copy as JSON-RPC" text={() => JSON.stringify(request)} />
		</p>
	);
}
