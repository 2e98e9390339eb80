/** The pages of the administration, loaded together: who opens one of them soon opens another. */
import { Deliveries } from './deliveries.tsx'
import { Delivery } from './delivery.tsx'
import { Explain } from './explain.tsx'
import { Jobs } from './jobs.tsx'

export const adminPages = { Deliveries, Delivery, Explain, Jobs }
