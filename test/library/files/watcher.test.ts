import { afterEach, describe, expect, it, vi } from 'vitest';
import { Folder } from '../../../src/library/files/folder.ts';
import { POLL_MS } from '../../../src/library/files/library-limits.ts';
import { Watcher } from '../../../src/library/files/watcher.ts';
import { LogLines } from '../../support/library-folder.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('Watcher', () => {
	afterEach(() => vi.useRealTimers());

	it('polls the root where the system cannot watch, and warns once', () => {
		vi.useFakeTimers();
		const log = new LogLines();
		const dirty: string[] = [];
		const folder = new Folder(temporaryFolder(), ['.md']);
		const watch = (): never => {
			throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' });
		};
		const watcher = new Watcher({ folder, log: log.log, onDirty: (names) => dirty.push(...names), watch });
		watcher.add('');
		watcher.add('again');
		vi.advanceTimersByTime(2 * POLL_MS);
		expect(dirty).toEqual(['', '']);
		expect(log.warnings).toEqual([
			expect.stringMatching(/^cannot watch for changes \(ENOSPC\); looking every 2000 ms instead$/),
		]);
		watcher.close();
		vi.advanceTimersByTime(2 * POLL_MS);
		expect(dirty).toHaveLength(2);
	});
});
