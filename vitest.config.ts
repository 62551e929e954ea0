import { defineConfig } from 'vitest/config';

/**
 * Tests that mostly wait for deadlines of the product: more of them run at once. Also long tests in short files, which
 * would run last and alone: the order is by size.
 */
const waiting = [
	'test/cli/commands/demo.test.ts',
	'test/fabric/failures.test.ts',
	'test/hub/mcp-backend/failures.test.ts',
	'test/hub/shared/busy-hub.test.ts',
	'test/hub/shared/stop-hub.test.ts',
	'test/hub/shared/suspended-hub.test.ts',
	'test/process/guard-kills.test.ts',
	'test/record/sessions.test.ts',
	'test/secrets/resolve-secret.test.ts',
	'test/telemetry/traces.test.ts',
	'test/transport/closed-stdout.test.ts',
];
/** Tests start real processes; two cores stay responsive with so many workers. */
const WORKERS = 3;
const WAITING_WORKERS = 5;

export default defineConfig({
	test: {
		testTimeout: 20_000,
		hookTimeout: 20_000,
		setupFiles: ['test/support/no-group-signal.ts'],
		// Tests write project files; those of trust itself set the variable to nothing.
		env: { ORCHESTRA_TRUST: 'all' },
		projects: [
			project('waiting', { include: waiting, maxWorkers: WAITING_WORKERS }, 1),
			project('tests', { include: ['test/**/*.test.ts'], exclude: waiting, maxWorkers: WORKERS }, 2),
		],
		coverage: {
			provider: 'v8',
			include: ['src/**/*.ts'],
			reporter: ['text-summary', 'json-summary'],
			thresholds: {
				'src/wire/**': { branches: 95 },
				'src/rpc/**': { branches: 95 },
				'src/transport/**': { branches: 95 },
			},
		},
	},
});

/** Groups run one after the other. */
function project(name: string, test: object, groupOrder: number): object {
	return { extends: true, test: { ...test, name, sequence: { groupOrder } } };
}
