/* The result of a tool, a prompt or a resource, part by part. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ApiObject } from '../../api/api-types.ts';
import { CopyButton } from '../components/command-text.tsx';
import { JsonTree } from '../components/json-tree.tsx';
import { Toggle } from '../components/panel.tsx';
import { visibleLine } from '../text/visible-text.tsx';
import { ContentPart } from './content-part.tsx';

/** Parts that are shown at first. */
const PAGE = 50;

export function ToolResultView({ result }: { result: ApiObject }): JSX.Element {
	const isRaw = useSignal(false);
	const shown = useSignal(PAGE);
	const parts = partsOf(result);
	const structured = result['structuredContent'];
	return (
		<section class={`result${result['isError'] === true ? ' bad' : ''}`} aria-label="Result">
			<p class="result-head">
				<strong>{result['isError'] === true ? 'The tool reported an error' : 'Result'}</strong>
				<CopyButton label="Copy JSON" text={() => JSON.stringify(result, null, 2)} />
				<Toggle isOn={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
					Raw
				</Toggle>
			</p>
			{isRaw.value ? (
				<JsonTree value={result} open={3} />
			) : (
				<>
					{parts.slice(0, shown.value).map(({ role, block }) => (
						<div class="part">
							{role !== undefined && <p class="role">{visibleLine(role)}</p>}
							<ContentPart block={block} />
						</div>
					))}
					{parts.length > shown.value && (
						<button type="button" onClick={() => (shown.value += PAGE)}>
							{parts.length - shown.value} more parts
						</button>
					)}
					{structured !== undefined && (
						<div class="part">
							<p class="role">structured content</p>
							<JsonTree value={structured} open={3} />
						</div>
					)}
					{parts.length === 0 && structured === undefined && <p class="dim">The result is empty.</p>}
				</>
			)}
		</section>
	);
}

interface Part {
	readonly role?: string | undefined;
	readonly block: ApiObject;
}

/** `content` of a tool, `messages` of a prompt, `contents` of a resource. */
function partsOf(result: ApiObject): Part[] {
	const messages = objects(result['messages']).map((message) => ({
		role: text(message['role']),
		block: asObject(message['content']) ?? {},
	}));
	const contents = objects(result['contents']).map((resource) => ({ block: { type: 'resource', resource } }));
	return [...objects(result['content']).map((block) => ({ block })), ...messages, ...contents];
}

function objects(value: unknown): ApiObject[] {
	return Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : [];
}

function asObject(value: unknown): ApiObject | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as ApiObject)
		: undefined;
}

function text(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}
