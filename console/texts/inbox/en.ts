/** English texts of the inbox. */

export const en = {
  unread: (count: number) => `Unread ${count}`,
  all: 'All',
  readAll: 'Mark all as read',
  empty: 'Nothing new. What concerns you appears here automatically.',
  choose: 'Choose a notification to read it here.',
  notification: 'Notification',
  openRecord: 'Open the record',
  markUnread: 'Mark as unread',
  unreadMark: 'Unread:',
  due: (text: string) => `Due ${text}`,
  whyMe: 'Why did I get this?',
}
