/** What people and spreadsheets write for true and false, in the languages of the console. */

const yes = 'true yes y on 1 wahr ja j istina da točno tocno vrai oui o'.split(' ')
const no = 'false no n off 0 falsch nein ne laž laz ne netočno netocno faux non'.split(' ')

export const booleanWords: ReadonlyMap<string, string> = new Map([
  ...yes.map((word) => [word, 'true'] as const),
  ...no.map((word) => [word, 'false'] as const),
])
