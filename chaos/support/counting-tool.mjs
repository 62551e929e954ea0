/* A workspace with the tool `count`, which appends each call to the file `count` of the workspace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const toolScript = `read -r line
[ -n "$line" ] || exit 1
printf '%s\\n' "$line" >>../../count
printf '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"count","payload":{"n":1}}\\n'
`;
const manifest = {
	manifestVersion: 1,
	id: 'count',
	version: '1.0.0',
	name: 'count',
	description: 'Counts its calls',
	command: ['sh', 'main.sh'],
	inputSchema: { type: 'object', properties: { call: { type: 'string' } } },
};

/** The workspace `work` in `folder`, which is the home of its processes. */
export function countingPlace(folder, configuration = {}) {
	const cwd = join(folder, 'work');
	mkdirSync(join(cwd, 'tools/count'), { recursive: true });
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify(configuration));
	writeFileSync(join(cwd, 'tools/count/manifest.json'), JSON.stringify(manifest));
	writeFileSync(join(cwd, 'tools/count/main.sh'), toolScript);
	const { PATH } = process.env;
	const env = { PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ORCHESTRA_TRUST: 'all' };
	return { cwd, home: folder, env };
}
