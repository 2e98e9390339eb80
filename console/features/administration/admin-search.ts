/** Which deliveries or jobs a page of the administration shows, as its address says it. */
import type { AccountFilter } from '../../api/admin/accounts.ts'
import type { ChannelName, QueueFilter, QueueName, QueueStatus } from '../../api/admin/queue.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'

/** In the order of the life of a row; what needs attention is before what is done. */
export const queueStatuses = {
  deliveries: ['queued', 'sending', 'failed', 'dead', 'sent'],
  jobs: ['waiting', 'running', 'scheduled', 'failing', 'dead'],
} as const satisfies Readonly<Record<QueueName, readonly QueueStatus[]>>

export const deliveryChannels = [
  'email',
  'webhook',
  'slack',
  'teams',
] as const satisfies readonly ChannelName[]

/** Without a kind it shows deliveries. */
export type QueueSearch = QueueFilter & { readonly kind?: 'jobs' | undefined }

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseQueueSearch = (search: Readonly<Record<string, unknown>>): QueueSearch => {
  if (search.kind === 'jobs') {
    const status = queueStatuses.jobs.find((one) => one === search.status)
    return givenOf({ kind: search.kind, status })
  }
  const status = queueStatuses.deliveries.find((one) => one === search.status)
  const channel = deliveryChannels.find((one) => one === search.channel)
  const entity = asText(search.entity)
  const record = entity === undefined ? undefined : asId(search.record)
  const user = asId(search.user)
  return givenOf({ q: wordsOf(search), status, channel, entity, record, user })
}

/** The words that are looked for; those of digits alone come as a number. */
const wordsOf = ({ q }: Readonly<Record<string, unknown>>): string | undefined =>
  asText(typeof q === 'number' ? `${q}` : q)

export const accountStatuses = ['active', 'invited', 'blocked', 'inactive'] as const

/** The filter of users in an address. */
export const parseAccountSearch = (search: Readonly<Record<string, unknown>>): AccountFilter => {
  const status = accountStatuses.find((one) => one === search.status)
  return givenOf({ q: wordsOf(search), status, role: asText(search.role) })
}
