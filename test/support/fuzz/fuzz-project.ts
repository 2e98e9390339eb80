/** The fuzzed project: every field type and feature, users with different permissions, and initial records. */
import { projectFiles } from '../a-project.ts'
import { roleFile } from '../definitions/files.ts'
import { workflowOf } from '../definitions/workflow-of.ts'
import type { DocketProcess } from '../docket-process.ts'
import type { ProjectFiles } from '../service.ts'

const everything = {
  create: true,
  read: true,
  update: true,
  delete: true,
  export: true,
  tasks: true,
}

const claim = {
  key: 'claim',
  displayField: 'title',
  ownership: true,
  fields: [
    { key: 'title', type: 'string', required: true },
    { key: 'notes', type: 'text' },
    { key: 'extra', type: 'json' },
    { key: 'due_on', type: 'date' },
    { key: 'keeper', type: 'manyToOne', entity: 'user' },
  ],
  workflow: workflowOf(
    {
      open: [
        { key: 'settle', kind: 'approveWorkflow', to: 'settled', form: 'why' },
        { key: 'refuse', kind: 'rejectWorkflow', to: 'refused', form: 'why' },
        { key: 'note', kind: 'proceedToStep', to: 'open' },
      ],
      settled: [],
      refused: [],
    },
    { forms: [{ key: 'why', fields: ['notes', 'due_on'], required: ['notes'] }] },
  ),
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'create',
      recipient: { userFields: ['keeper', '_created_by'] },
      content: { title: 'Claim {{ record.title }}', message: '{{ record.notes }}' },
      attachments: { printableDocuments: ['claim'], documentFunctions: ['list'] },
    },
    {
      operation: 'proceedToStep',
      action: 'note',
      recipient: { userFields: ['_created_by'] },
      content: {},
    },
  ],
}

export const fuzzFiles: ProjectFiles = {
  ...projectFiles,
  'docket.json': { name: 'Fuzzed', timeZone: 'Europe/Zagreb' },
  'entities/claim.json': claim,
  ...roleFile('auditor', {
    '*': everything,
    claim: { ...everything, actions: ['settle', 'note'], takeOwnership: true },
  }),
  'printable-documents/claim.typ': '#let (record,) = json("data.json")\n#record.title',
  'document-functions/list.mjs':
    "export const timeout = 5000; export const exec = () => ({ documents: [{ filename: 'list.csv', mimetype: 'text/csv', data: Buffer.from('a') }] })",
}

/** The role of each user by name. */
export const fuzzUsers: Readonly<Record<string, string>> = {
  ann: 'buyer',
  ben: 'buyer',
  cleo: 'clerk',
  rita: 'registrar',
  otto: 'auditor',
  norm: 'nobody',
  blocked: 'auditor',
}

/** Names of fields, and one that does not exist. */
export const fieldNames: readonly string[] = [
  ...['id', 'number', 'group', 'notes', 'contact', 'quantity', 'serial', 'total', 'rate'],
  ...['is_urgent'],
  ...['needed_by', 'placed_at', 'urgency', 'extra', 'supplier', 'follows', 'margin', 'lines'],
  ...['code'],
  ...['name', 'country', 'order', 'position', 'amount', 'title', 'due_on', 'keeper', '_created_by'],
  ...['_created_at', '_updated_at', '_step', '_owner', '_version', 'email', 'security_role'],
  ...['nothing'],
]

const tables = [
  ...['claim', 'order', 'order_line', 'supplier', 'country', 'salary', 'task', 'user_group'],
]

/** Tables of data about these records, whose ids start again. */
const dependentTables = [
  'task_link',
  'task_notice',
  'history',
  'idempotency_key',
  'removed_with_record',
].map((name) => `docket.${name}`)

/** Restores users and permissions, and empties the tables except for some new records. */
export const resetRecords = async (docket: DocketProcess): Promise<void> => {
  const { pool, idOf } = docket
  const emptied = [...tables.map((name) => `records."${name}"`), ...dependentTables]
  await pool.query(`TRUNCATE ${emptied.join()} RESTART IDENTITY CASCADE`)
  const fuzzUserIds = Object.keys(fuzzUsers).map(idOf)
  // Frees unique values that requests may have given to other users while one of these users was removed.
  await pool.query(
    `UPDATE records."user" SET identity_provider_user_id = 'other ' || id, username = 'other' || id || '@example.com', email = 'other' || id || '@example.com' WHERE id <> 1 AND NOT id = ANY ($1)`,
    [fuzzUserIds],
  )
  for (const [name, role] of [['admin', 'administrator'], ...Object.entries(fuzzUsers)] as const)
    await pool.query(
      `UPDATE records."user" SET identity_provider_user_id = CASE id WHEN 1 THEN 'admin@example.com' ELSE $2::text END, is_active = true, is_blocked = ($2 = 'blocked'),
         _is_deleted = false, security_role_id = (SELECT id FROM records.security_role WHERE key = $3)
       WHERE id = $1`,
      [idOf(name), name, role],
    )
  for (let number = 1; number <= 12; number++) await createRecords(docket, number)
}

const createRecords = async ({ ask }: DocketProcess, number: number): Promise<void> => {
  const letters = String.fromCharCode(64 + number, 65)
  for (const [caller, path, body] of [
    ['admin', '/country', { code: letters, name: letters }],
    ['admin', '/supplier', { code: `S${number}`, name: 'A supplier', country_id: 1 }],
    ['ann', '/order', { number: `AB-${number}`, quantity: number }],
    ['ann', '/order_line', { order_id: number, position: number }],
    ['norm', '/salary', { amount: `${number}.50` }],
    ['otto', '/claim', { title: `Claim ${number}` }],
    ['otto', `/claim/${number}/task`, { description: 'Check it' }],
    ['admin', '/user_group', { code: `g${number}`, name: 'A group' }],
  ] as const)
    await ask(caller, 'POST', path, body)
}

/** Creates a printable document; once per run. */
export const addDocument = async ({ ask }: DocketProcess): Promise<void> => {
  const document = { code: 'claim', name: 'Claim', entity_key: 'claim', template_file: 'claim.typ' }
  const { status, text } = await ask('admin', 'POST', '/printable_document', document)
  if (status !== 201) throw new Error(text)
}
