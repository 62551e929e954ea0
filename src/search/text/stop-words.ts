/* Stop words: ignored in documents and in queries. */

const list = `
a about  after again against all almost also always am among an and another any anyone anything are aren as ask at 
be became because become been before being    between both but by
can cannot could couldn did didn do does doesn doing don done  during
each either else  etc even ever every everyone everything few find  for from further
get gets getting give gives go goes going good got had hadn has hasn have haven having he help hello her here hers him his how however
i if im in instead into is isn it its itself just  keeps know  least  let lets  ll  lot
made make makes making many may maybe me might more most much must my myself
 need needs needed never   no nobody none nor not nothing now
of off often ok on  one only onto or other  our ours out over 
people per perhaps please possible properly quite rather re really 
s said  say see seem seems several shall she should shouldn  since so some somebody someone something somehow sometimes somewhere  still such sure
t take takes tell than thank thanks that the their them themselves then there therefore these they thing things think this those though through thus to together too toward try trying
 until unto up upon us use used uses using usually
ve very want wants wanted was wasn way ways we well were weren what whatever when whenever where whether which while who whole whom whose why will wish with within without won would wouldn
yes yet you your yours yourself
`;

/** English stop words. */
export const stopWords: ReadonlySet<string> = new Set(list.split(/\s+/).filter((word) => word !== ''));
