/** The project whose files are imported: orders of customers, categories that are part of others, and roles that may import them in part. */
import type { RowFault } from '../../../src/import/row-fault.ts'
import { addRole, insertPerson } from '../../support/a-person.ts'
import { entityFile, link, many, roleFiles } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { shareService, startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'

const money = { type: 'decimal', precision: 12, scale: 2 } as const
const every = { create: true, read: true, update: true, delete: true, import: true }

const numbered = [
  { key: 'number', type: 'string', series: { format: 'N-{000}' } },
  { key: 'topic', type: 'string' },
  { ...link('owner', 'user'), required: true, default: { $caller: 'id' } },
]

const files = {
  'docket.json': { name: 'Imports', timeZone: 'Europe/Zagreb' },
  ...entityFile(
    'customer',
    {
      // There is no such function: what it is to be told of waits as a job.
      hooks: [{ type: 'message', hookType: 'AfterChange', functionName: 'tell' }],
    },
    [
      { key: 'code', type: 'string', unique: true },
      { key: 'name', type: 'string', required: true },
      { key: 'mail', type: 'email' },
      link('category'),
      many('orders', 'order', 'customer'),
      { key: 'sum', ...money, rollup: { sum: 'orders.total' } },
    ],
  ),
  ...entityFile(
    'order',
    {
      ownership: true,
      imports: [
        {
          key: 'old_orders',
          name: 'Orders of the old system',
          mode: 'insertOrUpdate',
          match: ['number'],
          emptyCells: 'clear',
          columns: {
            'Order No': 'number',
            Customer: 'customer.code',
            Date: { field: 'ordered_on', dates: 'DMY' },
            Total: { field: 'total', decimal: ',' },
            State: { field: 'urgency', values: { urgent: 'high' } },
            Internal: null,
          },
        },
      ],
      workflow: workflowOf({
        open: [{ key: 'close', kind: 'proceedToStep', to: 'closed' }],
        closed: [],
      }),
      validations: [
        {
          key: 'sane',
          condition: { total: { $lt: '1000000' } },
          field: 'total',
          message: 'is too much',
        },
      ],
    },
    [
      { key: 'number', type: 'string', required: true, unique: true },
      link('customer'),
      { key: 'total', ...money, min: '0' },
      { key: 'doubled', ...money, formula: 'total * 2' },
      { key: 'urgency', type: 'enum', values: ['low', 'high'], default: 'low' },
      { key: 'ordered_on', type: 'date' },
      { key: 'note', type: 'text' },
      { key: 'secret', type: 'string' },
    ],
  ),
  ...entityFile('receipt', numbered),
  ...entityFile('claim', [
    { key: 'code', type: 'string', unique: true },
    { key: 'papers', type: 'files' },
    { key: 'scan', type: 'file', accept: ['text/plain'] },
  ]),
  // What steps lock is asked of each record, so these are written one by one.
  ...entityFile(
    'ticket',
    {
      workflow: {
        initialStep: 'open',
        steps: [
          { key: 'open', actions: [{ key: 'close', kind: 'proceedToStep', to: 'closed' }] },
          { key: 'closed', final: true, locks: { fields: 'all' } },
        ],
      },
    },
    [
      ...numbered,
      { key: 'second', type: 'string', series: { format: '{0}/2', on: { action: 'close' } } },
    ],
  ),
  ...entityFile('category', { displayField: 'code' }, [
    { key: 'code', type: 'string', required: true, unique: true },
    link('parent', 'category'),
  ]),
  ...entityFile('item', { indexes: [{ fields: ['name', 'amount'], unique: true }] }, [
    { key: 'code', type: 'string', unique: true },
    { key: 'amount', type: 'integer' },
    link('customer'),
    { key: 'name', type: 'string' },
    { key: 'tag', type: 'string', unique: 'ignoreCase' },
  ]),
  ...entityFile(
    'sample',
    {
      ownership: true,
      workflow: workflowOf(
        { open: [{ key: 'close', kind: 'proceedToStep', to: 'closed' }], closed: [] },
        { forms: [{ key: 'close', fields: [], callerFields: ['closed_by'] }] },
      ),
      // Heads that no field and no path has.
      exportSettings: {
        columnDefs: [
          ...['id', 'label', 'words', 'remarks', 'count', 'large', 'twice', 'is_open', 'day'],
          ...['choice', 'extra', 'mail', '_step', '_created_by', '_updated_by', '_owned_by'],
          'category_id',
        ]
          // A file for people has its code, because it has no label.
          .map((field) => ({ field, ...(field !== 'category_id' && { headerName: field }) }))
          .concat([
            { headerName: 'Serial', field: 'number' },
            { headerName: 'Each costs', field: 'price' },
            { headerName: 'At which time', field: 'moment' },
            { headerName: 'Account', field: 'customer.code' },
            { headerName: 'Whose account', field: 'customer.name' },
            { headerName: 'Kind of account', field: 'customer.category.code' },
            { headerName: 'Done by', field: 'closed_by.email' },
            { headerName: 'Begun', field: '_created_at' },
            { headerName: 'Touched', field: '_updated_at' },
          ]),
      },
    },
    [
      link('closed_by', 'user'),
      { key: 'number', type: 'string', series: { format: 'S-{000}' } },
      { key: 'label', type: 'string' },
      { key: 'words', type: 'string' },
      { key: 'remarks', type: 'text' },
      { key: 'count', type: 'integer' },
      { key: 'large', type: 'bigint' },
      { key: 'price', ...money },
      { key: 'twice', ...money, formula: 'price * 2' },
      { key: 'is_open', type: 'boolean' },
      { key: 'day', type: 'date' },
      { key: 'moment', type: 'timestamp' },
      { key: 'choice', type: 'enum', values: [{ value: 'a', name: 'First' }, 'b c', 'on_hold'] },
      { key: 'extra', type: 'json' },
      { key: 'mail', type: 'email' },
      link('customer'),
      link('category'),
    ],
  ),
  'translations/de.json': {
    entities: {
      order: { imports: { old_orders: 'Bestellungen des Altsystems' } },
      sample: {
        name: 'Muster',
        fields: {
          label: { name: 'Bezeichnung' },
          price: { name: 'Preis' },
          is_open: { name: 'Offen' },
          choice: { name: 'Wahl', values: { a: 'Erste' } },
        },
        columns: { Account: 'Kundennummer', 'Done by': 'Erledigt von' },
      },
    },
  },
  ...roleFiles({
    clerk: {
      customer: { ...every },
      order: {
        ...every,
        update: 'own',
        conditions: { create: { total: { $lte: '100' } } },
        messages: { create: 'Ask your manager.' },
        hiddenFields: ['secret'],
        readOnlyFields: ['note'],
      },
      category: { read: true, create: true },
      receipt: { ...every },
    },
    partly: {
      customer: { read: true, conditions: { read: { code: { $startsWith: 'A' } } } },
      order: every,
      item: every,
    },
    // A user with both changes no amount: the role that changes items does not, and the other one changes none.
    keeper: { item: { read: true, update: true, import: true, readOnlyFields: ['amount'] } },
    maker: { item: { read: true, create: true } },
  }),
}

export type Importing = TestService & {
  readonly upload: (
    entity: string,
    rows: readonly string[],
    query?: object,
    as?: string,
  ) => Promise<Run>
  readonly ended: (id: number, as?: string) => Promise<Run>
  /** Uploads a file and waits until nothing happens to its run. */
  readonly imported: (
    entity: string,
    rows: readonly string[],
    query?: object,
    as?: string,
  ) => Promise<Run>
  /** Creates records without a file, for tests of what is imported next. */
  readonly made: (entity: string, ...records: readonly object[]) => Promise<void>
  readonly rowsOf: (statement: string, values?: readonly unknown[]) => Promise<unknown[][]>
}

type Run = Readonly<{
  id: number
  state: string
  error: string | null
  rows: number
  faulty: number
  created: number
  changed: number
  unchanged: number
  done_rows: number
  notes: readonly string[]
  faults: readonly (RowFault & { row: number })[]
}>

const start = async (): Promise<Importing> => {
  const service = await startTestService(files, { IMPORT_LIMIT_BYTES: '5000000' })
  const { pool } = service.database
  for (const role of ['clerk', 'partly']) await insertPerson(pool, role, role)
  await addRole(pool, await insertPerson(pool, 'keeper', 'keeper'), 'maker')
  await startTestWorker(service)
  const asOf = (as?: string) => (as === undefined ? {} : { as: `${as}@example.com` })
  const upload: Importing['upload'] = async (entity, rows, query = {}, as) => {
    const path = `/${entity}/import?${new URLSearchParams(query as Record<string, string>)}`
    const body = rows.join('\r\n')
    const headers = { 'Content-Type': 'text/csv' }
    return (await service.ask('POST', path, { body, headers, ...asOf(as) })).json(202)
  }
  const ended: Importing['ended'] = (id, as) =>
    until(`import ${id} has ended`, async () => {
      const { run, faults } = (await service.ask('GET', `/api/imports/${id}`, asOf(as))).json(200)
      return ['reading', 'checking', 'writing', 'undoing'].includes(run.state)
        ? false
        : { ...run, faults }
    })
  return {
    ...service,
    upload,
    ended,
    imported: async (entity, rows, query, as) =>
      ended((await upload(entity, rows, query, as)).id, as),
    made: async (entity, ...records) => {
      ;(await service.ask('POST', `/${entity}/bulk`, { body: { create: records } })).json(200)
    },
    rowsOf: async (statement, values = []) =>
      (await pool.query({ text: statement, values: [...values], rowMode: 'array' }))
        .rows as unknown[][],
  }
}

export const startImporting = shareService(start)

/** What is said of a run in a few words. */
export const shortly = ({ error, state, created, changed, unchanged, faulty }: Run) => ({
  error,
  state,
  created,
  changed,
  unchanged,
  faulty,
})

/** A run that is done, in these words. */
export const done = {
  error: null,
  state: 'done',
  created: 0,
  changed: 0,
  unchanged: 0,
  faulty: 0,
}

/** `row column: message` of each fault. */
export const faultsOf = ({ faults }: Run): string[] =>
  faults.map(({ row, column, message }) => `${row} ${column ?? '-'}: ${message}`)

/** `row column rule` of each fault, and what else programs need to explain it. */
export const rulesOf = ({ faults }: Run): string[] =>
  faults.map(({ row, column, rule, value, columns, other_row: other }) =>
    [row, column ?? '-', rule ?? '-', value ?? [], columns ?? [], other ?? []].flat().join(' '),
  )
