/* Words of other languages: a question in one finds what is written in another. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { readTranslations } from '../../../src/library/files/word-list-files.ts';
import { loadSearchData } from '../../../src/library/match/search-data.ts';
import { Log } from '../../../src/log.ts';
import { Translations } from '../../../src/search/concepts/translations.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';

const translations = readTranslations();
const nothingKnown = (): boolean => false;

describe('a query', () => {
	it.each([
		['eine neue Datei erstellen', 'new file create'],
		['supprimer la tâche', 'delete task'],
		['удалить файлы', 'delete file'],
		['enviar un mensaje al equipo', 'send message member'],
	])('is put into English: %s', (query, english) => {
		expect(translations.toEnglish(query, nothingKnown)).toBe(english);
	});

	it.each(['创建一个文件', 'ファイルを作成する', '파일을 만들기', '建立檔案'])(
		'without spaces is put into English: %s',
		(query) => {
			const words = translations.toEnglish(query, nothingKnown).split(' ');
			expect(words).toEqual(expect.arrayContaining(['create', 'file']));
		},
	);

	it('in English stays as it is', () => {
		for (const query of ['creating a list of versions', 'remove all removers'])
			expect(translations.toEnglish(query, nothingKnown)).toBe(query);
	});

	it('may be anything', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (query) => {
				expect(typeof translations.toEnglish(query, nothingKnown)).toBe('string');
			}),
		);
	});
});

describe('tools', () => {
	const described: readonly [string, string][] = [
		['a', '创建一个新的日历事件'],
		['b', 'ファイルを検索します'],
		['c', 'Удаляет сообщение из канала'],
		['d', 'Muestra el tiempo y la ubicación de una ciudad'],
		['e', 'Übersetzt einen Text in eine andere Sprache'],
		['f', 'Télécharger une facture'],
		['g', 'Converte moedas'],
	];
	const tools = described.map(([name, description]) => ({
		server: 's',
		tool: { name: `s__${name}`, description, inputSchema: { type: 'object' as const } },
	}));
	const first = async (query: string): Promise<string | undefined> => {
		const index = new ToolIndex(new ToolUsage(), Log.silent);
		return (await index.search(tools, { query, limit: 3, accept: () => true }))[0]?.id;
	};

	it.each([
		['create a calendar event', 's__a'],
		['search for a file', 's__b'],
		['delete a message', 's__c'],
		['what is the weather', 's__d'],
		['translate this text', 's__e'],
		['download my invoice', 's__f'],
		['convert a currency', 's__g'],
		['eine Datei suchen', 's__b'],
		['удалить сообщения', 's__c'],
		['天气', 's__d'],
		['請求書をダウンロード', 's__f'],
	])('described in other languages are found: %s', async (query, wanted) => {
		expect(await first(query)).toBe(wanted);
	});
});

it('documents are found as tools are', () => {
	const index = new SearchIndex({
		title: { weight: 2, typicalWords: 4 },
		text: { weight: 1, typicalWords: 20 },
	});
	index.add({ id: 'pay', fields: { title: 'Rechnung bezahlen', text: 'Wie eine Zahlung geprüft wird' } });
	index.add({ id: 'cats', fields: { title: 'Cats', text: 'They sleep' } });
	loadSearchData(index, Log.silent);
	expect(index.search('pay an invoice').hits[0]?.id).toBe('pay');
	expect(index.search('оплата').hits[0]?.id).toBe('pay');
});

it('a list with a broken line is refused, with its number', () => {
	expect(() => new Translations('create: crear\nnonsense')).toThrow('line 2 of the list of translations');
});
