/** Croatian texts of approvals. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  empty: 'Ništa ne čeka vašu odluku.',
  emptyFiltered: 'Ništa odgovarajuće ne čeka vašu odluku.',
  entity: 'Vrsta zapisa',
  anyEntity: 'Sve vrste zapisa',
  action: 'Što je moguće',
  anyAction: 'Sve što je moguće',
  kinds: { approveWorkflow: 'Može se odobriti', rejectWorkflow: 'Može se odbiti' },
  record: 'Zapis o kojem se odlučuje',
  next: 'Sljedeći zapis',
  previous: 'Prethodni zapis',
  openRecord: 'Otvori zapis',
  select: (name: string) => `Odaberi: ${name}`,
  selectKey: 'Odaberi zapis',
  selected: (count: number) =>
    plural(count, { one: '# odabran', few: '# odabrana', other: '# odabranih' }),
  clear: 'Poništi odabir',
  fitting: (count, total) => (count === total ? `${count}` : `(${count} od ${total})`),
  several: 'Odaberite zapise iste vrste da biste odlučili o svima odjednom.',
  decideOn: (action: string, count: number) =>
    plural(count, {
      one: `${action}: # zapis`,
      few: `${action}: # zapisa`,
      other: `${action}: # zapisa`,
    }),
  queue: 'Čeka odluku',
  hideQueue: 'Sakrij popis',
  showQueue: 'Prikaži popis',
}
