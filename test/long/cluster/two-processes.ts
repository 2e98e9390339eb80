/** Two processes of Docket on the cluster, which assign records, notify users and send e-mails, and their users. */
import { openDevelopmentIssuer } from '../../../src/auth/tokens/development-issuer.ts'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { insertPerson } from '../../support/a-person.ts'
import { afterwards } from '../../support/afterwards.ts'
import { tokenOf } from '../../support/docket.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'

const files = {
  'entities/request.json': {
    key: 'request',
    displayField: 'number',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'assignee', type: 'manyToOne', entity: 'user' },
    ],
    hooks,
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['assignee'] },
        content: { title: '{{ record.number }}' },
      },
    ],
  },
  'roles/reader.json': { key: 'reader', permissions: { '*': { read: true } } },
}

export type User = { readonly id: number; readonly token: string }

export type DocketProcess = Awaited<ReturnType<typeof startProcess>>

export type Processes = {
  readonly processes: readonly DocketProcess[]
  /** Of the administrator. */
  readonly token: string
  readonly users: readonly User[]
  readonly pool: Pool
}

/** Starts them with the addresses of the database and of a mail server. */
export const startProcesses = async (
  addresses: Readonly<Record<string, string>>,
): Promise<Processes> => {
  const directory = await writeProject(files)
  const environment = { ...addresses, PROJECT: directory, EMAIL_FROM: 'docket@example.com' }
  const processes = [await startProcess(environment), await startProcess(environment)]
  const connectionString = addresses.DATABASE_DIRECT_URL ?? ''
  const pool = createPool({ connectionString, size: 2, observe: () => undefined })
  afterwards(() => pool.end())
  const { signToken } = await openDevelopmentIssuer(directory)
  const users: User[] = []
  for (const name of ['ann', 'ben', 'cid', 'dan']) {
    const id = await insertPerson(pool, name, 'reader')
    users.push({ id, token: await signToken(name) })
  }
  return { processes, token: await tokenOf(directory, environment), users, pool }
}

const startProcess = async (environment: Readonly<Record<string, string>>) => {
  const { child, ended, base: url } = await startUp(environment)
  return { child, ended, url }
}

type Readiness = { readonly status: number; readonly reason: string; readonly retryAfter: string }

/** What `ready` of a process says. */
export const readinessOf = async ({ url }: DocketProcess): Promise<Readiness> => {
  const response = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(20_000) })
  const { status: reason } = (await response.json()) as { status: string }
  const retryAfter = response.headers.get('retry-after') ?? ''
  return { status: response.status, reason, retryAfter }
}
