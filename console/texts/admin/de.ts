/** German texts of the administration. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  all: 'Alle',
  again: 'Jetzt noch einmal versuchen',
  againAll: (count: number) =>
    plural(count, { one: '# noch einmal versuchen', other: 'Alle # noch einmal versuchen' }),
  selected: (count: number) => plural(count, { one: '# ausgewählt', other: '# ausgewählt' }),
  clearSelection: 'Auswahl aufheben',
  select: (name: string) => `${name} auswählen`,
  queued: (count: number) =>
    plural(count, { one: '# wird noch einmal versucht.', other: '# werden noch einmal versucht.' }),
  notQueued: (count: number) =>
    plural(count, {
      one: '# ist inzwischen schon weiter.',
      other: '# sind inzwischen schon weiter.',
    }),
  moreMatch: 'Es gibt noch mehr: Versuchen Sie auch diese noch einmal.',
  status: 'Status',
  tries: 'Versuche',
  error: 'Letzter Fehler',
  created: 'Angelegt',
  record: 'Datensatz',
  recordOf: (entity: string, id: number) => `${entity} ${id}`,
  removeFilter: (text: string) => `Filter entfernen: ${text}`,
  deliveries: {
    title: 'Zustellungen',
    empty:
      'Noch wurde nichts verschickt. Was Benachrichtigungen als E-Mail oder Webhook senden, erscheint hier.',
    emptyFiltered: 'Keine Zustellung passt.',
    clear: 'Alle Zustellungen zeigen',
    back: 'Alle Zustellungen',
    statuses: {
      queued: 'Wartet',
      sending: 'Wird gesendet',
      failed: 'Wird wiederholt',
      dead: 'Aufgegeben',
      sent: 'Gesendet',
    },
    channels: { email: 'E-Mail', webhook: 'Webhook' },
    channel: 'Kanal',
    allChannels: 'Alle Kanäle',
    entity: 'Entität',
    allEntities: 'Alle Entitäten',
    recipient: 'Empfänger',
    to: 'An',
    subject: 'Betreff',
    entry: 'Benachrichtigung',
    when: 'Wann',
    nextTry: 'Nächster Versuch',
    sent: 'Gesendet',
    noSubject: 'Ohne Betreff',
    message: 'Nachricht',
    asSent: 'So, wie der Anbieter sie angenommen hat.',
    asNow:
      'Nicht gespeichert: jetzt zusammengestellt, mit den heutigen Vorlagen, Adressen und Rechten.',
    html: 'Als Seite',
    text: 'Text',
    request: 'Anfrage',
    headers: 'Kopfzeilen',
    data: 'Daten für die Vorlage',
    template: (id: string) => `Der Anbieter füllt seine Vorlage ${id} mit diesen Daten.`,
    notComposed: 'Die Nachricht kann nicht gezeigt werden.',
    frame: 'Die E-Mail, wie ihr Empfänger sie sieht; Bilder von anderswo werden nicht geladen',
    attachments: 'Anhänge',
    download: (name: string) => `${name} herunterladen`,
    fault: (text: string) => `Konnte nicht erstellt werden: ${text}`,
    operations: {
      create: 'angelegt',
      takeOwnership: 'übernommen',
      proceedToStep: 'weitergeführt',
    },
  },
  jobs: {
    title: 'Aufträge',
    empty: 'Nichts wartet: Alle Aufträge sind erledigt.',
    emptyFiltered: 'Solche Aufträge gibt es nicht.',
    statuses: {
      waiting: 'Wartet',
      running: 'Läuft',
      scheduled: 'Geplant',
      failing: 'Wird wiederholt',
      dead: 'Aufgegeben',
    },
    task: 'Auftrag',
    about: 'Datensatz',
    runAt: 'Läuft um',
    triesOf: (tries: number, most: number) => `${tries} von ${most}`,
    queue: 'Warteschlange',
    key: 'Schlüssel',
    worker: 'Prozess',
    removeMany: 'Entfernen …',
    remove: 'Endgültig entfernen',
    removeTitle: (count: number) =>
      plural(count, { one: '# Auftrag entfernen?', other: '# Aufträge entfernen?' }),
    removeWarning:
      'Was damit zu tun war, geschieht nie: Eine Benachrichtigung wird nicht gesendet, eine Datei nicht erstellt.',
  },
}
