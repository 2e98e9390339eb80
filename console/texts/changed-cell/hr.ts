/** Croatian texts of what became of a changed cell of a list. */
import type { en } from './en.ts'

export const hr: typeof en = {
  saved: (cell) => `Spremljeno: ${cell}`,
  undone: (cell) => `Poništeno: ${cell}`,
  mine: 'Vaša vrijednost',
  theirs: 'Spremljena vrijednost',
  keepMine: 'Spremi moju',
  takeTheirs: 'Zadrži spremljenu',
  edit: 'Uredi ponovno',
  giveUp: 'Odbaci',
}
