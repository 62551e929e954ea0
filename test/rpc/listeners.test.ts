import { describe, expect, it } from 'vitest';
import { Listeners } from '../../src/rpc/listeners.ts';

describe('the listeners of an event', () => {
	it('are called until they are removed, one that was added twice twice', () => {
		const heard: number[] = [];
		const listeners = new Listeners<number>();
		const listen = (value: number): void => void heard.push(value);
		const remove = listeners.add(listen);
		listeners.add(listen);
		listeners.emit(1);
		remove();
		listeners.emit(2);
		listeners.clear();
		listeners.emit(3);
		expect(heard).toEqual([1, 1, 2]);
	});

	it('do not keep each other from being called when failures are logged, else the failure is thrown', () => {
		const lines: string[] = [];
		const fail = (): never => {
			throw new Error('broken');
		};
		const logged = new Listeners<number>({ warn: (line) => void lines.push(line) });
		logged.add(fail);
		logged.add((value) => void lines.push(`heard ${value}`));
		logged.emit(1);
		expect(lines).toEqual(['a listener failed: broken', 'heard 1']);
		const plain = new Listeners<number>();
		plain.add(fail);
		expect(() => plain.emit(1)).toThrow('broken');
	});
});
