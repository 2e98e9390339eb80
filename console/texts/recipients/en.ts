/** English texts of whom something would notify. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  notifies: (who: string) => `Notifies ${who}`,
  nobody: 'Notifies nobody.',
  people: (count: number) => plural(count, { one: '# person', other: '# people' }),
  moreThan: (count: number) =>
    plural(count, { one: 'more than # person', other: 'more than # people' }),
  others: (names: string, count: number) =>
    `${names} ${plural(count, { one: 'and # other', other: 'and # others' })}`,
  about: (count: number) => plural(count, { one: 'about # record', other: 'about # records' }),
  emails: (count: number) => plural(count, { one: '# e-mail', other: '# e-mails' }),
  ofFirst: (count: number) => `of the first ${count} records`,
  partial: 'Others may be notified too: that depends on fields that you may not see.',
  wereNotified: 'Notified of this',
  nobodyYet: 'Nobody has been notified of this record yet.',
  channels: { inbox: 'Console', email: 'E-mail', webhook: 'Webhook' },
  notYet: (channel: string) => `${channel}: not sent yet`,
  further: (count: number) => plural(count, { one: 'and # other', other: 'and # others' }),
  wasHidden: 'Who was notified depends on fields that you may not see.',
  hidden: 'Who is notified depends on fields that you may not see.',
}
