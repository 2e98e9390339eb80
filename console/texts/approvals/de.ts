/** German texts of approvals. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  empty: 'Nichts wartet auf Ihre Entscheidung.',
  emptyFiltered: 'Nichts Passendes wartet auf Ihre Entscheidung.',
  entity: 'Art des Datensatzes',
  anyEntity: 'Alle Arten von Datensätzen',
  action: 'Was möglich ist',
  anyAction: 'Alles, was möglich ist',
  kinds: { approveWorkflow: 'Kann genehmigt werden', rejectWorkflow: 'Kann abgelehnt werden' },
  record: 'Datensatz zur Entscheidung',
  next: 'Nächster Datensatz',
  previous: 'Voriger Datensatz',
  openRecord: 'Datensatz öffnen',
  select: (name: string) => `${name} auswählen`,
  selectKey: 'Datensatz auswählen',
  selected: (count: number) => plural(count, { one: '# ausgewählt', other: '# ausgewählt' }),
  clear: 'Auswahl aufheben',
  fitting: (count, total) => (count === total ? `${count}` : `(${count} von ${total})`),
  several: 'Wählen Sie Datensätze einer Art aus, um über alle zusammen zu entscheiden.',
  decideOn: (action: string, count: number) =>
    plural(count, { one: `${action}: # Datensatz`, other: `${action}: # Datensätze` }),
  queue: 'Wartet auf eine Entscheidung',
  hideQueue: 'Liste ausblenden',
  showQueue: 'Liste einblenden',
}
