/** Croatian texts of a console that is seen as another user. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: 'U ime druge osobe',
  as: 'Djelujete kao',
  backTo: 'Natrag:',
}
