/* `orchestra-hub/tool`: a tool that counts the words of a text. */
import {
	OrchestraError,
	serveTool,
	type ToolCall,
	type ToolFailureDetails,
	type ToolFunction,
	toolFailure,
} from 'orchestra-hub/tool';

const countWords: ToolFunction = ({ input, log, progress }: ToolCall) => {
	const { text } = input;
	const details: ToolFailureDetails = { code: 'NO_TEXT', hint: 'Give it a text.' };
	if (typeof text !== 'string') throw toolFailure('text is missing', details);
	const words = text.split(/\s+/).filter((word) => word !== '');
	progress(1, 1);
	report(log, words.length);
	return { words: words.length };
};

function report(log: ToolCall['log'], count: number): void {
	try {
		if (count === 0) throw new OrchestraError('bad_input', 'the text is empty');
		log.info(`${count} words`);
	} catch (error) {
		log.warn(OrchestraError.from(error).message);
	}
}

await serveTool(countWords);
