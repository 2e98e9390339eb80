/** The inbox compared with bare routes, open streams, and the path from a change to the notified users. */
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import type { Environment } from '../environment.ts'
import { note, type Table } from '../report.ts'
import { jobsAtOnce, measureBacklog } from './backlog.ts'
import { fillMembers, fillNotifications } from './fill.ts'
import { measureGroup } from './group.ts'
import { benchInbox } from './inbox.ts'
import { measureJobStarts } from './job-starts.ts'
import { measureManyStreams } from './many-streams.ts'
import { measurePush } from './push.ts'
import { measureStreams } from './streams.ts'

const variables = {
  JOBS_AT_ONCE: `${jobsAtOnce}`,
  // The inbox is filled with old notifications, which must not be removed meanwhile.
  NOTIFICATIONS_KEEP_SEEN_DAYS: '3650',
  NOTIFICATIONS_KEEP_DAYS: '3650',
}

/** Each process serves only the measured requests. */
export const benchNotifications = async (
  environment: Environment,
  rows: number,
): Promise<Table[]> => {
  await fillNotifications(environment, rows)
  const first = await environment.startService([], variables)
  const tables = await benchInbox(environment, first)
  const members = await fillMembers(environment)
  const issuer = await openDevelopmentIssuer(environment.project)
  const measured = {
    ...environment,
    members,
    tokenOf: (member: number) => issuer.signToken(`member-${member}`),
    startService: (...args: readonly string[]) => environment.startService(args, variables),
    startWorker: (own = {}) => environment.startWorker({ ...variables, ...own }),
  }
  tables.push(await measureStreams(measured, first))
  note('Measured open streams.\n')
  await first.stop()
  tables.push(await measureManyStreams(measured))
  note('Measured open streams of several processes.\n')
  tables.push(await measureJobStarts(measured))
  tables.push(...(await measurePush(measured)))
  note('Measured the push of changes.\n')
  tables.push(await measureGroup(measured))
  note('Measured an event to everyone.\n')
  return [...tables, await measureBacklog(measured)]
}
