/* What just happened, below the view, for some seconds. */
import type { JSX } from 'preact';
import { useDashboard } from '../live/dashboard.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { CommandText } from './command-text.tsx';
import { ErrorText } from './panel.tsx';

export function NoticeList(): JSX.Element {
	const dashboard = useDashboard();
	return (
		<div class="notices" role="status" aria-live="polite">
			{dashboard.notices.value.map(({ id, text, command, error }) => (
				<div key={id} class={`notice${error ? ' bad' : ''}`}>
					<div>
						<p>
							<VisibleText text={text} />
						</p>
						{error && <ErrorText error={error} />}
						{command && <CommandText command={command} />}
					</div>
					<button type="button" class="quiet" aria-label="Dismiss" onClick={() => dashboard.dismiss(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}
