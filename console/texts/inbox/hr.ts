/** Croatian texts of the inbox. */
import type { en } from './en.ts'

export const hr: typeof en = {
  unread: (count: number) => `Nepročitano ${count}`,
  all: 'Sve',
  readAll: 'Označi sve kao pročitano',
  empty: 'Nema ničega novog. Ovdje se automatski pojavljuje sve što vas se tiče.',
  choose: 'Odaberite obavijest da biste je ovdje pročitali.',
  notification: 'Obavijest',
  openRecord: 'Otvori zapis',
  markUnread: 'Označi kao nepročitano',
  unreadMark: 'Nepročitano:',
  due: (text: string) => `Rok: ${text}`,
  whyMe: 'Zašto mi je ovo stiglo?',
}
