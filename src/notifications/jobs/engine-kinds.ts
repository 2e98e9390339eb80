/** The kinds of jobs that follow a change. */
import { attachDocuments } from '../../deliveries/delivery.ts'
import type { JobKind } from '../../jobs/job.ts'
import { handleMessage, sendNotifications } from '../../records/write/change-events.ts'
import { notifyTask } from '../../tasks/write/task-messages.ts'

export const engineKinds: readonly JobKind<object>[] = [
  sendNotifications,
  notifyTask,
  attachDocuments,
  handleMessage,
]
