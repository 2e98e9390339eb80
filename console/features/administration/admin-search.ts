/** Which deliveries and jobs a page of the administration shows, as its address says it. */
import type { ChannelName, DeliveryFilter, DeliveryStatus } from '../../api/admin/deliveries.ts'
import type { JobStatus } from '../../api/admin/jobs.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'

/** In the order of the life of a delivery; what needs attention is before what is done. */
export const deliveryStatuses = [
  'queued',
  'sending',
  'failed',
  'dead',
  'sent',
] as const satisfies readonly DeliveryStatus[]

export const deliveryChannels = [
  'email',
  'webhook',
  'slack',
] as const satisfies readonly ChannelName[]

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

export const jobStatuses = [
  'waiting',
  'running',
  'scheduled',
  'failing',
  'dead',
] as const satisfies readonly JobStatus[]

type JobSearch = { readonly status?: JobStatus | undefined }

export const parseJobSearch = (search: Readonly<Record<string, unknown>>): JobSearch => {
  const status = jobStatuses.find((one) => one === search.status)
  return status ? { status } : {}
}

/** Whether jobs of a status may be run again all together. */
export const mayRunAll = (status: JobStatus | undefined): status is 'dead' | 'failing' =>
  status === 'dead' || status === 'failing'
