/** German texts of what became of a changed cell of a list. */
import type { en } from './en.ts'

export const de: typeof en = {
  saved: (cell) => `Gespeichert: ${cell}`,
  undone: (cell) => `Rückgängig gemacht: ${cell}`,
  mine: 'Ihr Wert',
  theirs: 'Gespeicherter Wert',
  keepMine: 'Meinen speichern',
  takeTheirs: 'Gespeicherten behalten',
  edit: 'Erneut bearbeiten',
  giveUp: 'Verwerfen',
}
