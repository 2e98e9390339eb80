/** German texts of the inbox. */
import type { en } from './en.ts'

export const de: typeof en = {
  unread: (count: number) => `Ungelesen ${count}`,
  all: 'Alle',
  readAll: 'Alle als gelesen markieren',
  empty: 'Nichts Neues. Was Sie betrifft, erscheint hier automatisch.',
  choose: 'Wählen Sie eine Benachrichtigung, um sie hier zu lesen.',
  notification: 'Benachrichtigung',
  openRecord: 'Datensatz öffnen',
  markUnread: 'Als ungelesen markieren',
  unreadMark: 'Ungelesen:',
  due: (text: string) => `Fällig: ${text}`,
  whyMe: 'Warum habe ich das bekommen?',
}
