/** The pages of what waits for the user, loaded together: they share most of what they are made of. */

import { useApprovalTexts } from '../texts/approvals/texts.ts'
import { useDayTexts } from '../texts/day/texts.ts'
import { useInboxTexts } from '../texts/inbox/texts.ts'
import { useRecordPageTexts } from '../texts/record-page/texts.ts'
import { useTaskTexts } from '../texts/tasks/texts.ts'
import { Approvals } from './approvals.tsx'
import { Day } from './day.tsx'
import { Inbox } from './inbox.tsx'
import { Tasks } from './tasks.tsx'

export const texts = [
  useApprovalTexts,
  useDayTexts,
  useInboxTexts,
  useRecordPageTexts,
  useTaskTexts,
] as const

export const workPages = { Approvals, Day, Inbox, Tasks }
