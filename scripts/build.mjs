/* `npm run build`: compile src/ to dist/. With --install it installs what is missing first. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, tool } from './steps.mjs';

if (process.argv.includes('--install')) install();
rmSync(join(root, 'dist'), { recursive: true, force: true });
tool('build', 'tsc', ['-p', 'tsconfig.json']);
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
// The launcher rebuilds when a source file is newer than this stamp.
writeFileSync(join(root, 'dist', '.built'), '');
