/** Exports with curl, and the same COPY with psql; both discard the output. */

import { raw, toLiteralText } from '../../src/database/sql.ts'
import { getEntity } from '../../src/definitions/catalog.ts'
import { loadProject } from '../../src/definitions/load-project.ts'
import { standardCsv } from '../../src/definitions/values/rules/csv-dialects.ts'
import { compileExport } from '../../src/export/compile-export.ts'
import { csv } from '../../src/export/formats/csv.ts'
import { rangeCopy } from '../../src/export/key-ranges.ts'
import { planExport } from '../../src/export/plan-export.ts'
import { fullAccess } from '../../src/query/access.ts'
import { columnExpression, compileSelect } from '../../src/query/compile-select.ts'
import { noCriteria } from '../../src/query/criteria/criteria.ts'
import type { Environment, Service } from '../environment.ts'
import { runProgram } from '../programs.ts'

type Download = { readonly ms: number; readonly firstByteMs: number; readonly bytes: number }

type Options = { readonly query?: string; readonly encoding?: string }

/** Runs one export of invoices over HTTP. */
export const download = async (
  { url, token }: Service,
  { query = '', encoding }: Options = {},
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

/**
 * Runs the COPY of such an export with psql, in a session with the settings of the service, or the COPY that a user would
 * type: the same columns and order, as PostgreSQL prints them. Returns the milliseconds.
 */
export const createPsqlCopies = async ({ project: directory, databaseUrl }: Environment) => {
  const { project } = await loadProject(directory)
  if (!project) throw new Error('The project of the benchmark has errors; run docket check on it.')
  const { catalog } = project
  const entity = getEntity(catalog, 'invoice')
  const timeZone = 'UTC'
  const all = { criteria: noCriteria, access: fullAccess, scope: 'all', page: undefined } as const
  const plan = planExport({ catalog, entity, timeZone, ...all })
  const { copy } = compileExport({
    plan,
    entity,
    format: csv,
    csv: standardCsv,
    timeZone,
    locale: undefined,
  })
  const columns = plan.columns.map(({ ref }) => columnExpression(ref)).join(', ')
  const plain = toLiteralText(compileSelect(plan.select, raw(columns)))
  const variables = { PGTZ: timeZone, PGDATESTYLE: 'ISO' }
  const run = (command: string) => async (): Promise<number> => {
    const args = ['--no-psqlrc', '--quiet', '--dbname', databaseUrl, '--command', command]
    return (await runProgram('psql', args, { variables, isDiscarded: true })).ms
  }
  return {
    same: run(rangeCopy(copy, undefined, { kind: 'all' })),
    plain: run(`COPY (${plain}) TO STDOUT WITH (FORMAT csv, HEADER)`),
  }
}
