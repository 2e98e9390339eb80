/** Croatian texts of the search in all records. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'Pretraga',
  results: 'Stranice i zapisi',
  all: 'Svi rezultati',
  help: 'Pronalazi zapise po nazivu, naslovu, ID-u i drugim jedinstvenim vrijednostima.',
  none: (words: string) => `Nijedan naziv, naslov ni ID ne sadrži „${words}”.`,
  noneHelp: 'Pokušajte s manje slova ili pretražite sva polja:',
  lists: 'I u drugim poljima',
  more: 'Prikaži više',
  moreOf: (plural: string) => `Prikaži više: ${plural}`,
  incomplete: 'Nije pretraženo do kraja jer predugo traje:',
}
