/*
 * `npm test`: everything that must hold before a change lands, cheapest first.
 * Words after `--` go to vitest, and then the style checks are left out.
 */
import { install, step, tool } from './steps.mjs';

const words = process.argv.slice(2);
install();
step('build', process.execPath, ['scripts/build.mjs']);
if (words.length === 0) {
	tool('types', 'tsc', ['-p', 'tsconfig.test.json']);
	tool('types of the page', 'tsc', ['-p', 'src/dashboard/page/tsconfig.json']);
	step('layers', process.execPath, ['scripts/layers.mjs']);
	step('names', process.execPath, ['scripts/names.mjs']);
	step('api', process.execPath, ['scripts/api.mjs', '--check']);
	step('commands', process.execPath, ['scripts/cli-reference.mjs', '--check']);
	step('numbers', process.execPath, ['scripts/readme-numbers.mjs', '--check']);
	tool('lint', 'oxlint', ['--type-aware', '--deny-warnings']);
	tool('format', 'biome', ['check', '--error-on-warnings', '.']);
	tool('unused code', 'knip', []);
	tool('package', 'publint', ['--strict']);
}
tool('tests', 'vitest', ['run', ...(words.length === 0 ? ['--coverage'] : words)]);
