/** Which deliveries a page shows, as its address says it. */
import type { ChannelName, DeliveryFilter, DeliveryStatus } from '../../api/admin/deliveries.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'

/** In the order of the life of a delivery; what needs somebody stands before what is done. */
export const deliveryStatuses = [
  'queued',
  'sending',
  'failed',
  'dead',
  'sent',
] as const satisfies readonly DeliveryStatus[]

export const deliveryChannels = ['email', 'webhook'] as const satisfies readonly ChannelName[]

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseDeliverySearch = (search: Readonly<Record<string, unknown>>): DeliveryFilter => {
  const status = deliveryStatuses.find((one) => one === search.status)
  const channel = deliveryChannels.find((one) => one === search.channel)
  const entity = asText(search.entity)
  const record = entity === undefined ? undefined : asId(search.record)
  const user = asId(search.user)
  // Words of digits alone come as a number.
  const q = ['string', 'number'].includes(typeof search.q) ? String(search.q) : ''
  return givenOf({ q: asText(q), status, channel, entity, record, user })
}

/** Whether a failed delivery may be sent again. */
export const mayRetry = (status: DeliveryStatus): status is 'failed' | 'dead' =>
  status === 'failed' || status === 'dead'
