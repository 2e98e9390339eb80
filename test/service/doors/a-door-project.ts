/**
 * The project whose endpoints the tables of this folder ask: one entity with everything that an entity can have, a role
 * for each permission that has it alone and one that lacks it alone, and callers who may not call at all.
 */
import assert from 'node:assert/strict'
import { insertPerson } from '../../support/a-person.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { pngOf, uploadFile } from '../../support/uploads.ts'
import { startTestWorker } from '../../support/worker.ts'

/** Permissions on claims that endpoints ask for. */
export const rights = [
  'create',
  'read',
  'update',
  'delete',
  'export',
  'tasks',
  'comments',
  'takeOwnership',
  'anonymise',
  'action',
] as const
export type Right = (typeof rights)[number]

/** Texts that a caller may not see; nothing else of the project contains them. */
export const markers = {
  heading: 'Quixotrel',
  secret: 'Zyxwaberg',
  margin: '31337.42',
  doubled: '62674.84',
  price: '7717.31',
  worth: '7717.31',
  vault: 'Vkwyndor',
  email: 'mwzq.keeper@example.com',
  unseen: 'Uwqsondra',
  scan: 'Kfwelgruv',
} as const

const money = { type: 'decimal', precision: 12, scale: 2 } as const

const claim = {
  key: 'claim',
  displayField: 'heading',
  ownership: true,
  comments: { internal: true, follow: ['keeper', '$actor', '$commented'] },
  fields: [
    { key: 'heading', type: 'string' },
    { key: 'code', type: 'string', unique: true },
    { key: 'notes', type: 'text' },
    { key: 'secret', type: 'string', personal: true },
    { key: 'margin', ...money },
    { key: 'doubled', ...money, formula: 'margin * 2' },
    { key: 'amount', type: 'integer' },
    { key: 'due_on', type: 'date' },
    { key: 'extra', type: 'json' },
    { key: 'scan', type: 'file' },
    { key: 'keeper', type: 'manyToOne', entity: 'user' },
    { key: 'vault', type: 'manyToOne', entity: 'vault' },
    { key: 'follows', type: 'manyToOne', entity: 'claim' },
    { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'claim' },
    { key: 'worth', ...money, rollup: { sum: 'parts.price' } },
  ],
  workflow: workflowOf(
    {
      open: [
        { key: 'settle', kind: 'approveWorkflow', to: 'settled', form: 'why' },
        { key: 'note', kind: 'proceedToStep', to: 'open' },
      ],
      settled: [],
    },
    { forms: [{ key: 'why', fields: ['notes', 'secret'] }] },
  ),
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'takeOwnership',
      recipient: { userFields: ['_owned_by', 'keeper'] },
      content: {
        title: 'Claim {{ record.heading }}',
        message: '{{ record.secret }} {{ record.margin }} {{ record.vault.code }}',
      },
    },
  ],
}

const everyRight = {
  create: true,
  import: true,
  read: true,
  update: true,
  delete: true,
  export: true,
  tasks: true,
  comments: true,
  internalComments: true,
  takeOwnership: true,
  anonymise: true,
  purge: true,
  actions: ['settle', 'note'],
} as const

const others = {
  part: { create: true, read: true, update: true, delete: true, export: true },
  vault: { read: true, export: true },
  user: { read: true, export: true },
  security_role: { read: true },
}

const permissionOf = (right: Right, value: boolean) =>
  right === 'action' ? { actions: value ? everyRight.actions : [] } : { [right]: value }

/** Fields of claims, parts, vaults and users that the role `hiding` does not see. */
export const hiddenFields = {
  claim: ['heading', 'secret', 'margin', 'doubled', 'worth', 'scan'],
  part: ['price'],
  vault: ['code'],
  user: ['email', 'username', 'identity_provider_user_id'],
} as const

/** Fields that the role `sealed` sees and may not write. */
export const readOnlyFields = {
  claim: ['notes', 'amount', 'keeper'],
  part: ['claim'],
  task: ['due_date', 'key', 'entity_id'],
} as const

const roles: ProjectFiles = {
  ...roleFile('everything', { ...others, claim: everyRight }),
  ...Object.assign(
    {},
    ...rights.flatMap((right) => [
      roleFile(`only_${right.toLowerCase()}`, {
        claim: { read: true, ...permissionOf(right, true) },
        // Lines of claims are written with them.
        ...(right === 'update' && { part: { create: true } }),
      }),
      roleFile(`lacking_${right.toLowerCase()}`, {
        ...others,
        claim: { ...everyRight, ...permissionOf(right, false) },
      }),
    ]),
  ),
  // Reads all, and may do everything else with its own alone.
  ...roleFile('own_writer', {
    ...others,
    claim: {
      ...everyRight,
      update: 'own',
      delete: 'own',
      export: 'own',
      tasks: 'own',
      comments: 'own',
      takeOwnership: 'own',
      anonymise: 'own',
      actions: [],
    },
  }),
  // May do everything with what it reads, which are its own.
  ...roleFile('own_reader', {
    ...others,
    claim: { ...everyRight, read: 'own' },
    part: { read: 'own', create: true },
    vault: {},
    user: {},
  }),
  // The same by a condition, and the parts of the claims that it reads.
  ...roleFile('conditional_reader', {
    ...others,
    claim: {
      ...everyRight,
      conditions: {
        read: {
          $or: [{ _created_by: { $caller: 'id' } }, { 'keeper.email': { $caller: 'email' } }],
        },
      },
    },
    part: {
      create: true,
      read: true,
      export: true,
      conditions: { read: { claim: { $readable: true } } },
    },
    vault: {},
    user: {},
  }),
  ...roleFile('sealed', {
    ...others,
    claim: { ...everyRight, readOnlyFields: readOnlyFields.claim },
    part: { ...others.part, readOnlyFields: readOnlyFields.part },
    task: { read: true, readOnlyFields: readOnlyFields.task },
  }),
  ...roleFile('nothing', { part: { read: true } }),
  ...roleFile('hiding', {
    ...Object.fromEntries(
      Object.entries({ ...others, claim: everyRight }).map(([key, permission]) => [
        key,
        { ...permission, hiddenFields: hiddenFields[key as keyof typeof hiddenFields] ?? [] },
      ]),
    ),
  }),
}

const files: ProjectFiles = {
  'docket.json': { name: 'Doors', timeZone: 'Europe/Zagreb' },
  'entities/claim.json': claim,
  ...entityFile('part', { ownership: true }, [
    { key: 'claim', type: 'manyToOne', entity: 'claim' },
    { key: 'name', type: 'string' },
    { key: 'price', ...money },
  ]),
  ...entityFile('vault', { displayField: 'code' }, [{ key: 'code', type: 'string' }]),
  'printable-documents/claim.typ':
    '#let (record,) = json("data.json")\n#record.notes #record.at("secret", default: "") #record.at("heading", default: "")',
  ...roles,
}

/** Callers whom the service does not accept, each for a reason of its own. */
export const refusedCallers = ['blocked', 'inactive', 'removed'] as const

const namesByRole: Readonly<Record<string, readonly string[]>> = {
  everything: ['everything', 'everything2', ...refusedCallers],
}

/** The e-mail address of a user; the names of users are those of their roles. */
export const emailOf = (name: string): string => `${name}@example.com`

/** The id of a file that a claim had before; its bytes have a marker. */
export const fileOf = (claimId: number): number => 1_000_000 + claimId

export type Doors = TestService & {
  readonly idOf: (name: string) => number
  /** Creates a claim of the user `everything`, or of another one. */
  readonly newClaim: (values?: object, as?: string) => Promise<number>
  readonly newTask: (claimId: number, as?: string) => Promise<number>
  /** A comment of a user; the claim may be removed. */
  readonly newComment: (claimId: number, as: string | null) => Promise<number>
  /** A claim with a marker in each hidden field, and a part and a link with more of them. */
  readonly markedClaim: number
  readonly vault: number
  /** Waits until the notifications of everything written so far are there. */
  readonly notified: () => Promise<unknown>
}

const start = async (): Promise<Doors> => {
  const service = await startTestService(files, {
    EMAIL_PROVIDER: 'file',
    REQUESTS_PER_CALLER: '0',
    REQUESTS_PER_ADDRESS: '0',
    WRONG_CREDENTIALS_PER_ADDRESS: '0',
  })
  const { pool } = service.database
  const ids = new Map<string, number>([['admin', 1]])
  const addUser = async (name: string, roleKey: string, email = emailOf(name)) => {
    const values = { identity_provider_user_id: email, full_name: name, email }
    ids.set(name, await insertPerson(pool, name, roleKey, values))
  }
  for (const path of Object.keys(roles)) {
    const key = path.slice('roles/'.length, -'.json'.length)
    for (const name of namesByRole[key] ?? [key]) await addUser(name, key)
  }
  await addUser('keeper', 'everything', markers.email)
  await pool.query(
    `UPDATE records."user" SET is_blocked = (full_name = 'blocked'), is_active = (full_name <> 'inactive'), _is_deleted = (full_name = 'removed')`,
  )
  const idOf = (name: string): number => {
    const id = ids.get(name)
    assert.ok(id, `There is no user ${name}.`)
    return id
  }
  const create = async (path: string, body: object, as?: string): Promise<number> =>
    (await service.ask('POST', path, { body, ...(as && { as: emailOf(as) }) })).json(201).id
  const vault = await create('/vault', { code: markers.vault })
  const document = { code: 'claim', name: 'Claim', entity_key: 'claim', template_file: 'claim.typ' }
  await create('/printable_document', document)
  const markedClaim = await create('/claim', {
    heading: markers.heading,
    secret: markers.secret,
    margin: markers.margin,
    notes: 'Open to all',
    vault_id: vault,
    keeper_id: idOf('keeper'),
  })
  await create('/part', { claim_id: markedClaim, name: 'A part', price: markers.price })
  await uploadFile(service, 'scan.png', pngOf(markers.scan))
  const addFile = (claimId: number) =>
    pool.query(
      `INSERT INTO docket.file (
         id, entity_key, entity_id, column_name, sha256, filename, mimetype, bytes, user_id
       )
       SELECT $2::integer, 'claim', $1, 'scan', u.sha256, u.filename, u.mimetype, u.bytes, u.user_id
       FROM docket.upload u WHERE u.filename = 'scan.png'`,
      [claimId, fileOf(claimId)],
    )
  await addFile(markedClaim)
  const worker = await startTestWorker(service)
  return {
    ...service,
    idOf,
    markedClaim,
    vault,
    newClaim: async (values = {}, as = 'everything') => {
      const id = await create('/claim', { notes: 'A claim', ...values }, as)
      await addFile(id)
      return id
    },
    newTask: (claimId, as) => create(`/claim/${claimId}/task`, { description: 'Check it' }, as),
    newComment: async (claimId, as) => {
      // Of an API key, the one that was made last.
      const { rows } = await pool.query<{ id: number }>(
        `INSERT INTO records.comment (key, entity_id, text, _created_by)
         SELECT 'claim', $1, 'Fine', coalesce($2, (SELECT user_id FROM docket.api_key ORDER BY id DESC LIMIT 1), 1)
         RETURNING id`,
        [claimId, ids.get(as ?? 'everything')],
      )
      return rows[0]?.id ?? 0
    },
    notified: worker.settled,
  }
}

/** The service of all files of this folder. */
export const startDoors = shareService(start)
