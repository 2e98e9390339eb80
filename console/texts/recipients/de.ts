/** German texts of whom something would notify. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  notifies: (who) => `Benachrichtigt ${who}`,
  nobody: 'Benachrichtigt niemanden.',
  people: (count) => plural(count, { one: '# Person', other: '# Personen' }),
  moreThan: (count) => plural(count, { one: 'mehr als # Person', other: 'mehr als # Personen' }),
  others: (names, count) =>
    `${names} ${plural(count, { one: 'und eine weitere Person', other: 'und # weitere' })}`,
  about: (count) => plural(count, { one: 'zu # Datensatz', other: 'zu # Datensätzen' }),
  emails: (count) => plural(count, { one: '# E-Mail', other: '# E-Mails' }),
  ofFirst: (count) => `von den ersten ${count} Datensätzen`,
  partial:
    'Vielleicht werden noch andere benachrichtigt: Das hängt von Feldern ab, die Sie nicht sehen dürfen.',
  wereNotified: 'Darüber benachrichtigt',
  nobodyYet: 'Zu diesem Datensatz wurde noch niemand benachrichtigt.',
  channels: { inbox: 'Konsole', email: 'E-Mail', webhook: 'Webhook' },
  notYet: (channel) => `${channel}: noch nicht versendet`,
  further: (count) => plural(count, { one: 'und eine weitere Person', other: 'und # weitere' }),
  wasHidden: 'Wer benachrichtigt wurde, hängt von Feldern ab, die Sie nicht sehen dürfen.',
  hidden: 'Wer benachrichtigt wird, hängt von Feldern ab, die Sie nicht sehen dürfen.',
}
