/** The pages of the administration, loaded together: who opens one of them soon opens another. */

import { useAdminTexts } from '../../texts/admin/texts.ts'
import { Definition } from './definition.tsx'
import { Definitions } from './definitions.tsx'
import { Deliveries } from './deliveries.tsx'
import { Delivery } from './delivery.tsx'
import { Explain } from './explain.tsx'
import { Jobs } from './jobs.tsx'
import { Mail } from './mail.tsx'
import { Mails } from './mails.tsx'
import { Role } from './role.tsx'
import { Roles } from './roles.tsx'

export const texts = [useAdminTexts] as const

export const adminPages = {
  Deliveries,
  Delivery,
  Jobs,
  Explain,
  Definitions,
  Definition,
  Roles,
  Role,
  Mails,
  Mail,
}
