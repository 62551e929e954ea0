import { afterEach, describe, expect, it, vi } from 'vitest';
import { Folder } from '../../../src/library/files/folder.ts';
import { POLL_MS } from '../../../src/library/files/library-limits.ts';
import { Watcher } from '../../../src/library/files/watcher.ts';
import { LogLines } from '../../support/library-folder.ts';

describe('Watcher', () => {
	afterEach(() => vi.useRealTimers());

	it('looks at the root every few seconds where the system cannot watch, and warns once', () => {
		vi.useFakeTimers();
		const log = new LogLines();
		const dirty: string[] = [];
		// No system can watch a path with a zero byte in it.
		const folder = new Folder('/no\0where', ['.md']);
		const watcher = new Watcher({ folder, log: log.log, onDirty: (names) => dirty.push(...names) });
		watcher.add('');
		watcher.add('again');
		vi.advanceTimersByTime(2 * POLL_MS);
		expect(dirty).toEqual(['', '']);
		expect(log.warnings).toEqual([
			expect.stringMatching(/^cannot watch for changes \(\w+\); looking every 2000 ms instead$/),
		]);
		watcher.close();
		vi.advanceTimersByTime(2 * POLL_MS);
		expect(dirty).toHaveLength(2);
	});
});
