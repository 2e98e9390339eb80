/**
 * What reading by a condition costs: requests of a role compared with those of an administrator whose criteria mean the same, its statement
 * compared with the same predicate as a policy of PostgreSQL, lists that follow other records compared with plain ones, and users of a rule.
 */
import pg from 'pg'
import { createPermissions } from '../src/auth/permissions.ts'
import { sql, table, toStatement } from '../src/database/sql.ts'
import { getEntity } from '../src/definitions/catalog.ts'
import { loadProject } from '../src/definitions/load-project.ts'
import { compileScope } from '../src/query/compile-scope.ts'
import type { Environment, Service } from './environment.ts'
import { byTurns, median, sampler, timed } from './figures.ts'
import type { Request } from './http-client.ts'
import { fillInvoices } from './invoices.ts'
import { type Load, load } from './load.ts'
import { runProgram } from './programs.ts'
import { compareRecipients } from './recipients.ts'
import { aimOf, note, type Row, type Table } from './report.ts'

/** A role, and criteria of an administrator that let through the same invoices. */
const roles = [
  { key: 'account', where: { customer: 7 }, most: 1.05 },
  { key: 'region', where: { 'customer.country': 8 }, most: 2 },
] as const

/**
 * Lists that follow other records, and criteria of an administrator on an indexed column of the record itself which let through as many,
 * as far apart.
 */
const following = [
  {
    what: '$readable: invoices of the customers of a country',
    role: 'region',
    entity: 'invoice',
    plain: { quantity: { $in: [0, 1, 2, 3, 4] } },
  },
  {
    what: '$some: customers of the invoices of a seller',
    role: 'seller',
    entity: 'customer',
    plain: { country: 8 },
  },
] as const

/** 200 users have sold the invoices; those of the seller are of one in 200 customers. */
const sellInvoices = (userId: number): readonly string[] => [
  `UPDATE records.invoice SET _created_by = CASE WHEN id % 200 = 7 THEN ${userId} ELSE 1000 + id % 200 END`,
  'CREATE INDEX ON records.invoice (_created_by, customer_id, _is_deleted)',
  'CREATE INDEX ON records.invoice (quantity)',
  'VACUUM (ANALYZE) records.invoice',
]

const addUser = (key: string): string => `
  INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email,
    security_role_id, customer_id, country_id)
  SELECT m, '${key}', 'Reader', '${key}', m, m, r.id, 7, 8
  FROM records.security_role r, (SELECT '${key}@example.com' AS m) mail
  WHERE r.key = '${key}'
  RETURNING id`

/** A table of requests for each role, and one of statements. */
export const benchRights = async (environment: Environment, rows: number): Promise<Table[]> => {
  const { pool, project, databaseUrl, entryPoint } = environment
  await fillInvoices(environment, rows)
  const service = await environment.startService()
  const variables = { PROJECT: project, DATABASE_URL: databaseUrl }
  const readers = new Map<string, Reader>()
  for (const key of ['account', 'region', 'seller']) {
    const { rows: added } = await pool.query<{ id: number }>(addUser(key))
    const args = [entryPoint, 'token', '--user', `${key}@example.com`]
    const { output } = await runProgram(process.execPath, args, { variables })
    readers.set(key, { ...service, token: output.trim(), userId: Number(added[0]?.id) })
  }
  const readerOf = (key: string): Reader => {
    const reader = readers.get(key)
    if (!reader) throw new Error(`There is no user with the role ${key}.`)
    return reader
  }
  const tables: Table[] = []
  for (const role of roles) {
    const reader = readerOf(role.key)
    tables.push({
      title: `role "${role.key}" compared with an administrator's criteria, medians (ms)`,
      rows: await compareRequests(service, reader, role),
    })
    if (role.key === 'account')
      tables.push({
        title: 'statements of that role compared with a policy, medians (ms)',
        rows: await comparePolicy(environment, reader.userId),
      })
  }
  for (const statement of sellInvoices(readerOf('seller').userId)) await pool.query(statement)
  tables.push({
    title: 'who of 5,000 users of a group gets a notification, medians (ms)',
    rows: await compareRecipients(environment),
  })
  tables.push({
    title: 'lists that follow others compared with plain ones, p95 (ms)',
    rows: await compareFollowing(service, readerOf),
  })
  return tables
}

type Reader = Service & { readonly userId: number }

const compareFollowing = async (
  service: Service,
  readerOf: (key: string) => Reader,
): Promise<Row[]> => {
  const compared: Row[] = []
  for (const { what, role, entity, plain } of following) {
    const run = (target: Service, $where: object) =>
      load(target, { request: () => search(entity, { $where }), ms: 2000, connections: 4 })
    const theirs = sampler(() => run(service, plain))
    const ours = sampler(() => run(readerOf(role), {}))
    await byTurns([theirs, ours])
    const of = (name: 'p50' | 'p95', { samples }: typeof ours) =>
      median(samples.map((one) => one[name]))
    const ratio = of('p95', ours) / of('p95', theirs)
    compared.push({
      what,
      plain: of('p95', theirs),
      role: of('p95', ours),
      ratio,
      ...aimOf(ratio, { most: 2 }),
      'ratio of p50': of('p50', ours) / of('p50', theirs),
    })
    note(`Measured: ${what}.\n`)
  }
  return compared
}

const requests: readonly { readonly what: string; readonly ask: (where: object) => Request }[] = [
  { what: 'list of 20', ask: (where) => search('invoice', { $where: where }) },
  {
    what: 'list of 20 with its count',
    ask: (where) => search('invoice', { $where: where, $count: true }),
  },
  {
    what: 'sum of all',
    ask: (where) => search('invoice', { $where: where, $aggregate: { sum: ['net'] } }, 1),
  },
  { what: 'words', ask: (where) => search('invoice', { $where: where, $search: 'delivery 7' }) },
]

const search = (entity: string, body: object, limit = 20): Request => ({
  method: 'POST',
  path: `/${entity}/search?limit=${limit}`,
  body,
})

const compareRequests = async (
  service: Service,
  reader: Service,
  { where, most }: (typeof roles)[number],
): Promise<Row[]> => {
  const compared: Row[] = []
  for (const { what, ask } of requests) {
    const run = (target: Service, request: Request) =>
      load(target, { request: () => request, ms: 2000, connections: 4 } satisfies Load)
    const all = sampler(() => run(service, ask(where)))
    const some = sampler(() => run(reader, ask({})))
    await byTurns([all, some])
    const of = (name: 'p50' | 'p99', { samples }: typeof all) =>
      median(samples.map((one) => one[name]))
    const ratio = of('p50', some) / of('p50', all)
    compared.push({
      what,
      administrator: of('p50', all),
      role: of('p50', some),
      'p99 role': of('p99', some),
      ratio,
      ...aimOf(ratio, { most }),
    })
    note(`Measured: ${what}.\n`)
  }
  return compared
}

const statements = {
  'list of 20': ['SELECT t.* FROM', 'ORDER BY t.id LIMIT 20'],
  count: ['SELECT count(*) FROM', ''],
} as const

/** The same predicate in the statement, and as a policy for another database role. */
const comparePolicy = async (
  { project, databaseUrl }: Environment,
  userId: number,
): Promise<Row[]> => {
  const { project: loaded } = await loadProject(project)
  if (!loaded) throw new Error('The project of the benchmark has errors.')
  const invoice = getEntity(loaded.catalog, 'invoice')
  const scope = createPermissions(loaded.catalog).scopeOf(
    { userId, roleKey: 'account' },
    'read',
    invoice,
  )
  const inScope = toStatement(sql`${compileScope(scope, invoice.hasOwner, 't')}`)
  const client = new pg.Client({ connectionString: databaseUrl })
  // If the server ends, the running statement fails too; without a listener the process would end.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`
      CREATE ROLE policy_reader;
      GRANT USAGE ON SCHEMA records TO policy_reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA records TO policy_reader;
      ALTER TABLE records.invoice ENABLE ROW LEVEL SECURITY;
      CREATE POLICY of_customer ON records.invoice TO policy_reader USING (
        customer_id = (SELECT u.customer_id FROM records."user" u WHERE u.id = current_setting('bench.caller')::integer)
      );
      SET bench.caller = '${userId}'`)
    const from = toStatement(table(invoice)).text
    const compared: Row[] = []
    for (const [what, [select, end]] of Object.entries(statements)) {
      const ours = sampler(() =>
        timed(() =>
          client.query(
            `${select} ${from} t WHERE NOT t._is_deleted AND ${inScope.text} ${end}`,
            inScope.values,
          ),
        ),
      )
      // The driver would send a text without values in one message, which PostgreSQL answers sooner than a statement with its values.
      const asked = {
        text: `${select} ${from} t WHERE NOT t._is_deleted ${end}`,
        queryMode: 'extended',
      }
      const policy = sampler(() => timed(() => client.query(asked)))
      const asPolicy = {
        ...policy,
        run: async () => {
          await client.query('SET ROLE policy_reader')
          const ms = await policy.run()
          await client.query('RESET ROLE')
          return ms
        },
      }
      await byTurns([ours, asPolicy], { rounds: 200, warmUps: 20 })
      const [us, them] = [median(ours.samples), median(asPolicy.samples)]
      compared.push({
        what,
        policy: them,
        role: us,
        ratio: us / them,
        ...aimOf(us / them, { most: 1.1 }),
      })
    }
    return compared
  } finally {
    await client.end()
  }
}
