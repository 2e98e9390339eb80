/** What all recipients of an event read alike, for channels that send one message for all of them. */
import type { Recipients } from '../inbox/store-notifications.ts'
import type { SharedContent } from '../outbox/events/notification-event.ts'

type Shared = { readonly userId: number; readonly content: SharedContent }

export type SharedReading = {
  readonly add: (recipients: Recipients) => void
  /** With the first recipient; undefined without any. */
  readonly result: () => Shared | undefined
}

/** Reads one page of recipients after another: a part that one of them reads otherwise, or not at all, is left out. */
export const createSharedReading = (): SharedReading => {
  let shared: Shared | undefined
  const read = (userId: number, { title, message, url }: SharedContent) => {
    const content = { title, message, url }
    shared = shared ? { ...shared, content: alike(shared.content, content) } : { userId, content }
  }
  return {
    add: (recipients) => {
      const { userIds } = recipients
      const contents = 'contents' in recipients ? recipients.contents : [recipients.content]
      for (const [index, content] of contents.entries()) read(userIds[index] ?? 0, content)
    },
    result: () => shared,
  }
}

const alike = (one: SharedContent, other: SharedContent): SharedContent => ({
  title: one.title === other.title ? one.title : '',
  message: one.message === other.message ? one.message : '',
  url: one.url === other.url ? one.url : null,
})
