/*
 * Common English words. A collection of manuals hardly has them, so their IDF is
 * high although they say little: they get a lower weight. Unlike stop words they
 * are indexed.
 */
const list = `
able above accidentally accurate across actual actually ages ago agree ahead alive alone along already although amount annoying apart appear appears apply around aside asked asking
away awful back bad barely based basic basically beautiful begin behind believe below bent best better big bit both bother boring breaks bring brings broke brought busy buy
call called calling came care careful carefully case cases cause caused causes certain certainly change changed changes chosen clean clear clearly close come comes coming
common complain complains complete completely confused consider contain contains correct correctly couple crazy current currently cut daily day days deal decent decide despite different differently difficult directly doubt
each earlier early easier easily easy effect empty end ended ending ends enough entire entirely equal especially exact exactly example except exist existing exists expect expected explain explode explodes extra extremely
eye face fact fair fall falls far fast feel feels fill fine finish first fit follow following follows force forever former forth forward found free fresh friend full fully funny
gave general generally gets given giving glad gone great gross guy guys half hand handle hands happen happened happening happens happy hard hardly hate head hear heard held high hold holds hope hour hours
huge hurt idea ideal immediately include included including indeed individual inside instance interesting involve involved issue issues
keep keeping kept kind kinds knew knows large last late lately later lead leads learn leave leaves leaving led left less letting level life like likely literally little live lives long longer look looked looking looks loose lose loud lots love low
main mainly makes managed matter matters mean meaning means meant meanwhile mention mine minute minutes miss missing moment month months mostly move multiple
name names near nearly necessary neither new next nice normal normally notice number numbers obvious obviously occur odd old older ones open opposite order ought outside overall own
part parts particular particularly past pick picked picks piece place places plain plenty point points poor present pretty previous previously probably problem problems proper purpose put puts
question questions quick quickly quiet quietly random reach read reading ready real reason reasonable recent recently regular regularly remain remains remember rest result results right risky round run running runs
safe safely same sat save saw says second seconds seeing seen send sends sense sensible sent separate serious set sets setting short show showing shown shows side silent silently similar simple simply single sit sits situation
slightly slow slowly small smart soon sort sorts sound sounds special specific spend spent spot stand start started starting starts state stay stays step steps stop stops stopped straight strange stuck stuff style sudden suddenly suit suppose supposed surprise
taken taking talk tells terrible thousand thousands thought threw throw tidy tight time times tiny today told tomorrow tonight took top total totally touch toward tricky tried tries trouble true truly trust turn turned turns twice typical typically
ugly understand unfortunately unless unlike unusual useful useless usual various view wait waiting walk wanting warm watch week weeks weird went wide willing wonder word words work worked working works world worry worse worst worth write writing wrong wrote
year years yesterday young zero
`;

let words: ReadonlySet<string> | undefined;

/** True for a common English word. */
export function isCommonWord(word: string): boolean {
	words ??= new Set(list.split(/\s+/));
	return words.has(word);
}
