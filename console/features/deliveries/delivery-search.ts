/** Which deliveries a page shows, as its address says it. */
import type { ChannelName, DeliveryFilter, DeliveryStatus } from '../../api/admin/deliveries.ts'

/** In the order of the life of a delivery; what needs somebody stands before what is done. */
export const deliveryStatuses = [
  'queued',
  'sending',
  'failed',
  'dead',
  'sent',
] as const satisfies readonly DeliveryStatus[]

export const deliveryChannels = ['email', 'webhook'] as const satisfies readonly ChannelName[]

const asId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseDeliverySearch = (search: Readonly<Record<string, unknown>>): DeliveryFilter => {
  const status = deliveryStatuses.find((one) => one === search.status)
  const channel = deliveryChannels.find((one) => one === search.channel)
  const entity = typeof search.entity === 'string' ? search.entity : undefined
  const record = entity === undefined ? undefined : asId(search.record)
  const user = asId(search.user)
  // Words of digits alone come as a number.
  const q = ['string', 'number'].includes(typeof search.q) ? String(search.q) : ''
  return {
    ...(q !== '' && { q }),
    ...(status && { status }),
    ...(channel && { channel }),
    ...(entity !== undefined && { entity }),
    ...(record !== undefined && { record }),
    ...(user !== undefined && { user }),
  }
}

/** Whether a failed delivery may be sent again. */
export const mayRetry = (status: DeliveryStatus): status is 'failed' | 'dead' =>
  status === 'failed' || status === 'dead'
