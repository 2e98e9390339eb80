/** German texts of the dialogs of views. */
import type { en } from './en.ts'

export const de: typeof en = {
  removeTitle: (name: string) => `Ansicht ${name} entfernen?`,
  removeHelp: 'Alle, die sie verwenden, verlieren sie. Die Datensätze bleiben.',
  removeIt: 'Ansicht entfernen',
  renameTitle: (name: string) => `Ansicht ${name} umbenennen`,
  renameHelp: 'Alle, die sie verwenden, sehen den neuen Namen.',
  renameIt: 'Umbenennen',
  wasCalled: (name: string) => `Die Ansicht hieß vorher ${name}.`,
  saveTitle: 'Diese Liste als Ansicht speichern',
  name: 'Name',
  sharedWith: 'Für',
}
