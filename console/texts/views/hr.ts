/** Croatian texts of the dialogs of views. */
import type { en } from './en.ts'

export const hr: typeof en = {
  removeTitle: (name: string) => `Ukloniti prikaz ${name}?`,
  removeHelp: 'Svi koji ga koriste gube ga. Zapisi ostaju.',
  removeIt: 'Ukloni prikaz',
  renameTitle: (name: string) => `Preimenuj prikaz ${name}`,
  renameHelp: 'Svi koji ga koriste vide novi naziv.',
  renameIt: 'Preimenuj',
  wasCalled: (name: string) => `Prikaz se prije zvao ${name}.`,
  saveTitle: 'Spremi ovaj popis kao prikaz',
  name: 'Naziv',
  sharedWith: 'Za koga',
}
