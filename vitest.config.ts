import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		include: ['test/**/*.test.ts'],
		testTimeout: 20_000,
		hookTimeout: 20_000,
		// Tests write project files; those of trust itself set the variable to nothing.
		env: { ORCHESTRA_TRUST: 'all' },
		// Tests start real processes; two cores stay responsive with two workers.
		maxWorkers: 2,
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
