/** German texts of a console that is seen as another user. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Im Namen einer anderen Person',
  as: 'Sie handeln als',
  backTo: 'Zurück zu',
}
