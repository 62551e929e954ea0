/*
 * A complete plugin: two tools, a prompt, a streaming tool, and files kept in the
 * storage of the orchestrator. Run it alone with --manifest, or let a hub start it.
 */
import { definePlugin, toolFailure } from 'orchestra-hub/plugin';

const text = (description) => ({ type: 'string', description });

const plugin = definePlugin({
	id: 'tools.projects',
	version: '1.0.0',
	description: 'Projects and their features, kept as markdown',
	manifest: { needsStorage: ['markdown'] },

	tools: {
		create_project: {
			description: 'Create a project',
			inputSchema: { type: 'object', properties: { name: text('Its name') }, required: ['name'] },
			async run({ name }, { orchestrator }) {
				const slug = slugOf(name, 'name');
				if (orchestrator.isAvailable) await orchestrator.write(`${slug}/project.md`, `# ${name}\n`);
				return `Created project: ${name} (slug: ${slug})`;
			},
		},

		create_feature: {
			description: 'Add a feature to a project',
			inputSchema: {
				type: 'object',
				properties: { project_id: text('The slug of the project'), title: text('What it is about') },
				required: ['project_id', 'title'],
			},
			async run({ project_id: project, title }, { orchestrator }) {
				const slug = slugOf(title, 'title');
				const folder = slugOf(project, 'project_id');
				if (orchestrator.isAvailable) {
					await orchestrator.read(`${folder}/project.md`);
					await orchestrator.write(`${folder}/features/${slug}.md`, `# ${title}\n`, 0n);
				}
				return `Created feature: ${title} (id: ${folder}/${slug})`;
			},
		},
	},

	streamingTools: {
		list_features: {
			description: 'The features of a project, one chunk each',
			inputSchema: { type: 'object', properties: { project_id: text('The slug of the project') } },
			async *run({ project_id: project = '' }, { orchestrator, signal }) {
				for (const path of await orchestrator.list(`${project}/features`)) {
					if (signal.aborted) return;
					const { content } = await orchestrator.read(path);
					yield Buffer.from(content).toString('utf8');
				}
			},
		},
	},

	prompts: {
		plan_project: {
			description: 'Plan the first features of a project',
			arguments: [{ name: 'project', description: 'Its name', required: true }],
			render: ({ project }) => `Plan the first three features of the project "${project}", one line each.`,
		},
	},
});

function slugOf(value, field) {
	const slug = String(value ?? '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-+|-+$/g, '');
	if (slug === '')
		throw toolFailure(`"${field}" must have a letter or a digit in it`, { code: 'validation_error' });
	return slug;
}

await plugin.run();
