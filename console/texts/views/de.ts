/** German texts of the dialogs of views. */
import type { en } from './en.ts'

export const de: typeof en = {
  removeTitle: (name: string) => `Ansicht ${name} entfernen?`,
  removeHelp: 'Alle, die sie verwenden, verlieren sie. Die Datensätze bleiben.',
  removeIt: 'Ansicht entfernen',
  saveTitle: 'Diese Liste als Ansicht speichern',
  name: 'Name',
  sharedWith: 'Für',
}
