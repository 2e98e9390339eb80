/** Croatian texts of the selection of records in a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  totals: 'Zbrojevi',
  export: 'Izvezi odabrane zapise',
  label: 'Odabir',
  hint: 'Odaberite zapise da biste ih zajedno mijenjali ili izvezli: tipkom x, tipkom Shift i klikom ili sve odjednom.',
  select: (name) => `Odaberi: ${name}`,
  selectAll: 'Odaberi sve koji odgovaraju',
  everything: 'Svi',
  clear: 'Poništi odabir',
  selected: (count) => plural(count, { one: '# odabran', few: '# odabrana', other: '# odabranih' }),
  allSelected: (count) =>
    plural(count, { one: 'Odabrani svi (#)', few: 'Odabrani svi (#)', other: 'Odabrani svi (#)' }),
  all: (count) =>
    plural(count, { one: 'Odaberi sve (#)', few: 'Odaberi sve (#)', other: 'Odaberi sve (#)' }),
  allShort: (count) => plural(count, { one: 'Svi (#)', few: 'Svi (#)', other: 'Svi (#)' }),
  tooMany: (limit) =>
    plural(limit, {
      one: 'Pojedinačno se može odabrati najviše # zapis. Umjesto toga odaberite sve koji odgovaraju.',
      few: 'Pojedinačno se mogu odabrati najviše # zapisa. Umjesto toga odaberite sve koji odgovaraju.',
      other:
        'Pojedinačno se može odabrati najviše # zapisa. Umjesto toga odaberite sve koji odgovaraju.',
    }),
}
