/** German texts of the hint that cells of a list can be edited. */
import type { en } from './en.ts'

export const de: typeof en = {
  hint: 'Mit Doppelklick oder F2 bearbeiten Sie eine Zelle.',
  close: 'Nicht mehr zeigen, wie Zellen bearbeitet werden',
}
