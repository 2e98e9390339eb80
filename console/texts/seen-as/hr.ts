/** Croatian texts of a console that is seen as another user. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'U ime druge osobe',
  as: 'Djelujete kao',
  backTo: 'Natrag:',
  allWindows:
    'Djelovanje u ime druge osobe vrijedi za sve prozore ovog preglednika. Za dvije osobe istodobno otvorite privatni prozor s poveznicom koju ispisuje ova naredba:',
  actsNow: (name: string) => `Sada djelujete kao ${name}: promijenjeno u drugom prozoru.`,
  signedInNow: (name: string) => `Sada radite kao ${name}: promijenjeno u drugom prozoru.`,
}
