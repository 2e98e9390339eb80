/** German texts of a console that is seen as another user. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Im Namen einer anderen Person',
  as: 'Sie handeln als',
  backTo: 'Zurück zu',
  allWindows:
    'Als andere Person zu handeln gilt für alle Fenster dieses Browsers. Für zwei Personen zugleich öffnen Sie ein privates Fenster mit einem Link, den dieser Befehl ausgibt:',
  actsNow: (name: string) => `Sie handeln jetzt als ${name}: in einem anderen Fenster gewechselt.`,
  signedInNow: (name: string) =>
    `Sie sind jetzt als ${name} angemeldet: in einem anderen Fenster gewechselt.`,
}
