/** Exports by curl, and the same COPY by psql; both throw what comes away. */
import { createPermissions } from '../../src/auth/permissions.ts'
import { getEntity } from '../../src/definitions/catalog.ts'
import { loadProject } from '../../src/definitions/load-project.ts'
import { compileCopy } from '../../src/export/compile-export.ts'
import { csv } from '../../src/export/formats/csv.ts'
import { planExport } from '../../src/export/plan-export.ts'
import { noCriteria } from '../../src/query/criteria.ts'
import type { Place } from '../place.ts'
import { runProgram } from '../run-program.ts'

export type Download = {
  readonly ms: number
  readonly firstByteMs: number
  readonly bytes: number
}

type Wish = { readonly query?: string; readonly encoding?: string }

/** Runs one export over HTTP and throws its bytes away. */
export const download = async (
  { url, token }: Place,
  { query = '', encoding }: Wish = {},
): Promise<Download> => {
  const { output, ms } = await runProgram('curl', [
    ...['--silent', '--show-error', '--fail', '--output', '/dev/null'],
    ...['--write-out', '%{time_starttransfer} %{size_download}', '--request', 'POST'],
    ...['--header', `Authorization: Bearer ${token}`],
    ...(encoding ? ['--header', `Accept-Encoding: ${encoding}`] : []),
    `${url}/invoice/export${query}`,
  ])
  const [firstByte = 0, bytes = 0] = output.split(' ').map(Number)
  return { ms, firstByteMs: firstByte * 1000, bytes }
}

/** The COPY that the service runs for an export of everything by an administrator. */
export const copyStatement = async ({ project }: Place): Promise<string> => {
  const { project: loaded } = await loadProject(project)
  if (!loaded) throw new Error('The project of the benchmark has a fault; run docket check on it.')
  const { catalog } = loaded
  const entity = getEntity(catalog, 'invoice')
  const caller = { userId: 1, roleKey: 'administrator', fullName: '', email: '' }
  const access = createPermissions(catalog).accessOf(caller)
  const scope = 'all' as const
  const wish = { catalog, entity, access, scope, page: undefined, timeZone: 'UTC' }
  const plan = planExport({ ...wish, criteria: noCriteria })
  const { columns } = plan
  const sheet = {
    columns,
    name: 'Invoice',
    escapesFormulas: true,
    hasByteOrderMark: false,
    timeZone: 'UTC',
  }
  return compileCopy(plan, csv, sheet)
}

/** Runs a COPY by psql, in sessions set up as the service's own. */
export const copyByPsql = async ({ databaseUrl }: Place, statement: string): Promise<number> => {
  const args = ['--no-psqlrc', '--quiet', '--dbname', databaseUrl, '--command', statement]
  const env = { PGTZ: 'UTC', PGDATESTYLE: 'ISO' }
  const { ms } = await runProgram('psql', args, { env, isDiscarded: true })
  return ms
}
