/** E-mails in the API: deliveries, their attachments, preferences, and the e-mails of the provider `file`. */

import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { type AttachmentDeps, attachmentEndpoints } from './attachments/attachment-endpoints.ts'
import { type DeliveryDeps, deliveryEndpoints, emailTag } from './delivery-endpoints.ts'
import { type MailDeps, mailEndpoints } from './email/mail-endpoints.ts'
import { type PreferenceDeps, preferenceEndpoints } from './preferences/preference-endpoints.ts'

export const emailSection: ApiSection<DeliveryDeps & PreferenceDeps & AttachmentDeps & MailDeps> = {
  tags: [{ name: emailTag, description: 'E-mails of notifications.' }],
  endpoints: [
    ...deliveryEndpoints,
    ...preferenceEndpoints,
    ...attachmentEndpoints,
    ...mailEndpoints,
  ],
}
