/* The result of a tool, a prompt or a resource, part by part. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ApiObject } from '../../api/api-types.ts';
import { CopyButton } from '../components/command-text.tsx';
import { JsonTree } from '../components/json-tree.tsx';
import { Toggle } from '../components/panel.tsx';
import { objectsIn, textIn } from '../live/json-fields.ts';
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
							{role && <p class="role">{visibleLine(role)}</p>}
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
	/** Of a message of a prompt. */
	readonly role?: string;
	readonly block: ApiObject;
}

/** `content` of a tool, `messages` of a prompt, `contents` of a resource. */
function partsOf(result: ApiObject): Part[] {
	const messages = objectsIn(result['messages']).map((message) => ({
		role: textIn(message, 'role'),
		block: objectsIn([message['content']])[0] ?? {},
	}));
	const contents = objectsIn(result['contents']).map((resource) => ({
		block: { type: 'resource', resource },
	}));
	return [...objectsIn(result['content']).map((block) => ({ block })), ...messages, ...contents];
}
