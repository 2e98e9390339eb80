/** Croatian texts of the selection of records in a list. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  totals: 'Zbrojevi',
  groupBy: 'Grupiraj po ovom stupcu …',
  label: 'Odabir',
  hint: 'Odaberite zapise da biste ih zajedno mijenjali ili izvezli: x, Shift i klik, ili sve.',
  select: (name) => `Odaberi ${name}`,
  selectAll: 'Odaberi sve koji odgovaraju',
  clear: 'Poništi odabir',
  selected: (count) => plural(count, { one: '# odabran', few: '# odabrana', other: '# odabranih' }),
  allSelected: (count) =>
    plural(count, { one: 'Odabran je #', few: 'Odabrana su sva #', other: 'Odabrano je svih #' }),
  all: (count) =>
    plural(count, { one: 'Odaberi #', few: 'Odaberi sva #', other: 'Odaberi svih #' }),
  allShort: (count) => plural(count, { one: '#', few: 'Sva #', other: 'Svih #' }),
  tooMany: (limit) =>
    plural(limit, {
      one: 'Pojedinačno se može odabrati # zapis. Odaberite radije sve koji odgovaraju.',
      few: 'Pojedinačno se mogu odabrati # zapisa. Odaberite radije sve koji odgovaraju.',
      other: 'Pojedinačno se može odabrati # zapisa. Odaberite radije sve koji odgovaraju.',
    }),
}
