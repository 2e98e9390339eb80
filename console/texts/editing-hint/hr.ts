/** Croatian texts of the hint that cells of a list can be edited. */
import type { en } from './en.ts'

export const hr: typeof en = {
  hint: 'Ćelija se uređuje dvoklikom ili tipkom F2.',
  close: 'Više ne prikazuj kako se uređuju ćelije',
}
