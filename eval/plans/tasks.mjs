/*
 * Twenty tasks over real servers. `steps` is how an agent does the task call by call: each step gets the texts of
 * the results so far, and gives the next calls. `plan` is one program for the same. `isRight` checks the answer of the
 * program, and `asks` are the searches that an agent makes for tools that it does not list.
 */

const files = Array.from({ length: 12 }, (_, at) => `notes/n${at}.txt`);
const read = (name) => ['files', 'read_text_file', { path: name }];
const sql = (query) => ['db', 'read_query', { query }];
const create = (entities) => ['memory', 'create_entities', { entities }];
const entity = (name, ...observations) => ({ name, entityType: 'topic', observations });

/** Files `notes/n0.txt` to `n11.txt`, each of 40 lines with some that have TODO. */
export const noteFiles = Object.fromEntries(
	files.map((name, at) => [
		name,
		Array.from(
			{ length: 40 },
			(_, line) => `${line} ${(line * 7 + at) % 9 === 0 ? 'TODO: look at' : 'nothing about'} part ${at}`,
		).join('\n'),
	]),
);

const todosOf = (text) => text.split('\n').filter((line) => line.includes('TODO')).length;
const allTodos = Object.values(noteFiles).reduce((sum, text) => sum + todosOf(text), 0);
const readAll = `const texts = await Promise.all(${JSON.stringify(files)}.map(async (path) => (await tools.files.readTextFile({ path })).content));`;

export const tasks = [
	{
		server: 'files',
		asks: ['read a text file'],
		steps: files.map(read),
		plan: `${readAll} return texts.join('\\n').split('\\n').filter((line) => line.includes('TODO')).length`,
		isRight: (text) => Number(text) === allTodos,
	},
	{
		server: 'files',
		asks: ['read a text file'],
		steps: files.map(read),
		plan: `${readAll} return Math.max(...texts.map((text) => text.length))`,
		isRight: (text) => Number(text) === Math.max(...Object.values(noteFiles).map((each) => each.length)),
	},
	{
		server: 'files',
		asks: ['read a text file', 'write a file'],
		steps: [
			...files.slice(0, 6).map(read),
			['files', 'write_file', { path: 'notes/sum.txt', content: 'todos' }],
		],
		plan: `let sum = 0; for (let at = 0; at < 6; at++) sum += (await tools.files.readTextFile({ path: 'notes/n' + at + '.txt' })).content.split('TODO').length - 1; await tools.files.writeFile({ path: 'notes/sum.txt', content: String(sum) }); return sum`,
		isRight: (text) => Number(text) > 0,
	},
	{
		server: 'files',
		asks: ['information about a file'],
		steps: files.map((path) => ['files', 'get_file_info', { path }]),
		plan: `const infos = await Promise.all(${JSON.stringify(files)}.map((path) => tools.files.getFileInfo({ path }))); return infos.length`,
		isRight: (text) => Number(text) === 12,
	},
	{
		server: 'files',
		asks: ['list a folder', 'read a text file'],
		steps: [['files', 'list_directory', { path: 'notes' }], read(files[3])],
		plan: `const { content } = await tools.files.listDirectory({ path: 'notes' }); const name = content.split('\\n').map((line) => line.split(' ')[1]).filter((each) => each.startsWith('n3'))[0]; return (await tools.files.readTextFile({ path: 'notes/' + name })).content.split('\\n')[0]`,
		isRight: (text) => text.startsWith('0 '),
	},
	{
		server: 'memory',
		asks: ['create entities', 'read the graph'],
		steps: [create([entity('one', 'a', 'b')]), create([entity('two', 'c')]), ['memory', 'read_graph', {}]],
		plan: `for (const name of ['one', 'two']) await tools.memory.createEntities({ entities: [{ name, entityType: 'topic', observations: [name] }] }); return (await tools.memory.readGraph()).entities.length`,
		isRight: (text) => Number(text) >= 2,
	},
	{
		server: 'memory',
		asks: ['create entities', 'read a text file'],
		steps: [...files.slice(0, 4).map(read), create([entity('notes', 'x')])],
		plan: `const names = ${JSON.stringify(files.slice(0, 4))}; const texts = await Promise.all(names.map(async (path) => (await tools.files.readTextFile({ path })).content)); await tools.memory.createEntities({ entities: names.map((name, at) => ({ name, entityType: 'file', observations: [texts[at].length + ' characters'] })) }); return names.length`,
		isRight: (text) => Number(text) === 4,
	},
	{
		server: 'memory',
		asks: ['add observations', 'create entities'],
		steps: [
			create([entity('log')]),
			...[1, 2, 3, 4, 5].map((at) => [
				'memory',
				'add_observations',
				{ observations: [{ entityName: 'log', contents: [`entry ${at}`] }] },
			]),
		],
		plan: `await tools.memory.createEntities({ entities: [{ name: 'log', entityType: 'topic', observations: [] }] }); for (let at = 1; at < 6; at++) await tools.memory.addObservations({ observations: [{ entityName: 'log', contents: ['entry ' + at] }] }); return (await tools.memory.openNodes({ names: ['log'] })).entities[0].observations.length`,
		isRight: (text) => Number(text) === 5,
	},
	{
		server: 'memory',
		asks: ['search nodes'],
		steps: ['one', 'two', 'log'].map((query) => ['memory', 'search_nodes', { query }]),
		plan: `const found = []; for (const query of ['one', 'two', 'log']) found.push((await tools.memory.searchNodes({ query })).entities.length); return found.join()`,
		isRight: (text) => text.length > 0,
	},
	{
		server: 'everything',
		asks: ['add two numbers'],
		steps: Array.from({ length: 10 }, (_, at) => ['everything', 'get-sum', { a: at, b: 1 }]),
		plan: `let sum = 0; for (let at = 0; at < 10; at++) sum += Number(/is (\\d+)/.exec(await tools.everything.getSum({ a: at, b: 1 }))[1]); return sum`,
		isRight: (text) => Number(text) === 55,
	},
	{
		server: 'everything',
		asks: ['echo a message'],
		steps: files.map((message) => ['everything', 'echo', { message }]),
		plan: `const said = await Promise.all(${JSON.stringify(files)}.map((message) => tools.everything.echo({ message }))); return said.length`,
		isRight: (text) => Number(text) === 12,
	},
	{
		server: 'everything',
		asks: ['weather with structured content'],
		steps: ['New York', 'Chicago', 'Los Angeles'].map((location) => [
			'everything',
			'get-structured-content',
			{ location },
		]),
		plan: `const all = []; for (const location of ['New York', 'Chicago', 'Los Angeles']) all.push((await tools.everything.getStructuredContent({ location })).temperature); return Math.max(...all)`,
		isRight: (text) => Number.isFinite(Number(text)),
	},
	{
		server: 'git',
		asks: ['log of a repository'],
		steps: [['git', 'git_log', { repo_path: 'REPO', max_count: 30 }]],
		plan: `const text = await tools.git.gitLog({ repo_path: 'REPO', max_count: 30 }); return text.split('Message:').length - 1`,
		isRight: (text) => Number(text) === 12,
	},
	{
		server: 'git',
		asks: ['show a commit', 'log of a repository'],
		steps: [
			['git', 'git_log', { repo_path: 'REPO', max_count: 12 }],
			...Array.from({ length: 11 }, (_, at) => [
				'git',
				'git_show',
				{ repo_path: 'REPO', revision: `HEAD~${at}` },
			]),
		],
		plan: `let added = 0; for (let at = 0; at < 11; at++) added += (await tools.git.gitShow({ repo_path: 'REPO', revision: 'HEAD~' + at })).split('\\n+').length - 1; return added`,
		isRight: (text) => Number(text) > 0,
	},
	{
		server: 'git',
		asks: ['differences between commits'],
		steps: [1, 2, 3, 4].map((at) => ['git', 'git_diff', { repo_path: 'REPO', target: `HEAD~${at}` }]),
		plan: `const sizes = []; for (const at of [1, 2, 3, 4]) sizes.push((await tools.git.gitDiff({ repo_path: 'REPO', target: 'HEAD~' + at })).length); return sizes.join()`,
		isRight: (text) => text.split(',').length === 4,
	},
	{
		server: 'git',
		asks: ['state of a repository', 'log of a repository'],
		steps: [
			['git', 'git_status', { repo_path: 'REPO' }],
			['git', 'git_log', { repo_path: 'REPO', max_count: 3 }],
		],
		plan: `const status = await tools.git.gitStatus({ repo_path: 'REPO' }); const log = await tools.git.gitLog({ repo_path: 'REPO', max_count: 3 }); return status.includes('clean') + ' ' + (log.split('Message:').length - 1)`,
		isRight: (text) => text === 'true 3',
	},
	{
		server: 'db',
		asks: ['query a database'],
		steps: ['north', 'south', 'east', 'west'].map((each) =>
			sql(`SELECT amount FROM orders WHERE region = '${each}'`),
		),
		plan: `const sums = {}; for (const region of ['north', 'south', 'east', 'west']) sums[region] = (await tools.db.readQuery({ query: "SELECT amount FROM orders WHERE region = '" + region + "'" })).match(/\\d+/g).reduce((sum, each) => sum + Number(each), 0); return sums`,
		isRight: (text) => Object.keys(JSON.parse(text)).length === 4,
	},
	{
		server: 'db',
		asks: ['list tables', 'describe a table'],
		steps: [
			['db', 'list_tables', {}],
			['db', 'describe_table', { table_name: 'orders' }],
		],
		plan: `return (await tools.db.listTables()).includes('orders') && (await tools.db.describeTable({ table_name: 'orders' })).includes('region')`,
		isRight: (text) => text === 'true',
	},
	{
		server: 'db',
		asks: ['query a database', 'write a file'],
		steps: [
			sql('SELECT * FROM orders'),
			['files', 'write_file', { path: 'notes/orders.txt', content: 'rows' }],
		],
		plan: `const text = await tools.db.readQuery({ query: 'SELECT * FROM orders' }); await tools.files.writeFile({ path: 'notes/orders.txt', content: text }); return text.split('region').length - 1`,
		isRight: (text) => Number(text) === 120,
	},
	{
		server: 'db',
		asks: ['change a database', 'query a database'],
		steps: [
			...Array.from({ length: 5 }, (_, at) => [
				'db',
				'write_query',
				{ query: `UPDATE orders SET amount = amount + 0 WHERE id = ${at}` },
			]),
			sql('SELECT count(*) AS n FROM orders'),
		],
		plan: `for (let at = 0; at < 5; at++) await tools.db.writeQuery({ query: 'UPDATE orders SET amount = amount + 0 WHERE id = ' + at }); return (await tools.db.readQuery({ query: 'SELECT count(*) AS n FROM orders' })).match(/\\d+/)[0]`,
		isRight: (text) => Number(text) === 120,
	},
];
