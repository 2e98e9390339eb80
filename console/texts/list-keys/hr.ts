/** Croatian texts of the keys of a list. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'Na popisu',
  open: 'Otvori zapis',
  menu: 'Izbornik ćelije ili zaglavlja stupca',
  select: 'Odaberi zapis ili poništi odabir',
  selectToo: 'Isto jednim slovom',
  extend: 'Odaberi do sljedećeg retka',
  range: 'Odaberi do ovog retka',
  all: 'Odaberi sve koji odgovaraju',
  none: 'Poništi odabir',
  heads: 'Na zaglavlja stupaca, iz prvog retka',
  sort: 'Zaglavlje stupca: poredaj',
  sortToo: 'Zaglavlje stupca: poredaj nakon ostalih',
  wider: 'Zaglavlje stupca: šire',
  narrower: 'Zaglavlje stupca: uže',
  forward: 'Zaglavlje stupca: pomakni prema kraju',
  back: 'Zaglavlje stupca: pomakni prema početku',
}
