/**
 * A small project with every field type, ownership and roles with different permissions, and users
 * to send requests as. The tests of records and of HTTP use it.
 */
import assert from 'node:assert/strict'
import { insertPerson } from './a-person.ts'
import { entityFile, roleFile } from './definitions/files.ts'
import { workflowOf } from './definitions/workflow-of.ts'
import {
  type ProjectFiles,
  type Reply,
  shareService,
  startTestService,
  type TestService,
} from './service.ts'

// The key and the field "group" are words of SQL: a name that is not quoted fails.
const order = {
  key: 'order',
  name: 'Order',
  displayField: 'number',
  ownership: true,
  fields: [
    {
      key: 'number',
      type: 'string',
      required: true,
      unique: true,
      maxLength: 12,
      pattern: '[A-Z]{2}-[0-9]+',
    },
    { key: 'group', type: 'string', maxLength: 20 },
    { key: 'notes', type: 'text' },
    { key: 'contact', type: 'email' },
    { key: 'quantity', type: 'integer', min: 1, max: 1000 },
    { key: 'serial', type: 'bigint' },
    { key: 'total', type: 'decimal', precision: 14, scale: 2, min: '0', default: '0.00' },
    { key: 'rate', type: 'decimal' },
    { key: 'is_urgent', type: 'boolean', default: false },
    { key: 'needed_by', type: 'date', min: '2000-01-01' },
    { key: 'placed_at', type: 'timestamp' },
    { key: 'urgency', type: 'enum', values: ['low', 'normal', 'high'], default: 'normal' },
    { key: 'extra', type: 'json' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'follows', type: 'manyToOne', entity: 'order' },
    { key: 'margin', type: 'decimal', precision: 8, scale: 2 },
    { key: 'lines', type: 'oneToMany', entity: 'order_line', mappedBy: 'order' },
  ],
  indexes: [{ fields: ['supplier', 'group'], unique: true }],
}

const entities: ProjectFiles = {
  ...entityFile('country', [
    { key: 'code', type: 'string', required: true, unique: true, maxLength: 2 },
    { key: 'name', type: 'string', required: true },
  ]),
  ...entityFile('supplier', { ownership: true }, [
    { key: 'code', type: 'string', required: true, unique: true, maxLength: 20_000 },
    { key: 'name', type: 'string' },
    { key: 'country', type: 'manyToOne', entity: 'country' },
  ]),
  'entities/order.json': order,
  'entities/order_line.json': {
    key: 'order_line',
    fields: [
      { key: 'order', type: 'manyToOne', entity: 'order', required: true },
      { key: 'position', type: 'integer', required: true },
    ],
    indexes: [{ fields: ['order', 'position'], unique: true }],
  },
  'entities/report.json': {
    key: 'report',
    displayField: 'name',
    ownership: true,
    fields: [
      { key: 'name', type: 'string', personal: true },
      { key: 'scan', type: 'file', accept: ['application/pdf', 'image/*'], maxBytes: 2000 },
      { key: 'photos', type: 'files', maxFiles: 4, personal: true },
      { key: 'estimate', type: 'file' },
      { key: 'sheets', type: 'oneToMany', entity: 'sheet', mappedBy: 'report' },
    ],
    workflow: workflowOf(
      {
        open: [{ key: 'sign', kind: 'proceedToStep', to: 'signed', form: 'signature' }],
        signed: [],
      },
      { forms: [{ key: 'signature', fields: ['photos'], required: ['photos'] }] },
    ),
  },
  ...entityFile('sheet', [
    { key: 'report', type: 'manyToOne', entity: 'report' },
    {
      key: 'picture',
      type: 'file',
      required: true,
      accept: ['image/png'],
      stripLocation: true,
    },
  ]),
  'entities/salary.json': { key: 'salary', fields: [{ key: 'amount', type: 'decimal' }] },
}

const roles: ProjectFiles = {
  // Reads everything and changes its own records. The margin is hidden.
  ...roleFile('buyer', {
    order: {
      create: true,
      read: true,
      update: 'own',
      delete: 'own',
      takeOwnership: true,
      hiddenFields: ['margin'],
    },
    order_line: { create: true, read: true, update: true, delete: true },
    supplier: { read: true },
    country: { read: true },
    report: { create: true, read: true, update: true, delete: 'own', hiddenFields: ['estimate'] },
  }),
  // Cannot see records of other users.
  ...roleFile('clerk', {
    order: { create: true, read: 'own', update: true, delete: true, takeOwnership: true },
    supplier: { create: true, read: 'own', update: 'own' },
    report: { create: true, read: 'own', update: true },
  }),
  ...roleFile('registrar', {
    user: { create: true, read: true, update: true, delete: true },
    security_role: { create: true, read: true, update: true, delete: true },
  }),
  'roles/nobody.json': { key: 'nobody', permissions: { salary: { create: true } } },
}

/** The files of the project. */
export const projectFiles: ProjectFiles = {
  'docket.json': { name: 'Records under test' },
  ...entities,
  ...roles,
}

/** E-mail addresses of the users of the project. Each name ends with the role. */
export const users = {
  buyer: 'buyer@example.com',
  otherBuyer: 'other-buyer@example.com',
  clerk: 'clerk@example.com',
  registrar: 'registrar@example.com',
  nobody: 'nobody@example.com',
} as const

/** Adds a user to any project: the name ends with the role, such as `other-buyer@example.com`. Returns the id. */
export const addUser = (
  database: Pick<TestService['database'], 'pool'>,
  email: string,
): Promise<number> => {
  const [name = ''] = email.split('@')
  return insertPerson(database.pool, name, name.split('-').at(-1) ?? '')
}

/** Inserts the users. The administrator exists already. */
export const addUsers = async (database: TestService['database']): Promise<void> => {
  for (const email of Object.values(users)) await addUser(database, email)
}

let ownUsers = 0

/** Adds a user for one test, and returns the e-mail address. */
export const addOwnUser = async (service: TestService, role: string): Promise<string> => {
  ownUsers += 1
  const email = `own-${ownUsers}-${role}@example.com`
  await addUser(service.database, email)
  return email
}

/** Starts the project with its users. */
export const startProject = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> => {
  const service = await startTestService(projectFiles, environment)
  await addUsers(service.database)
  return service
}

/** The same, once for all files of a process, in the time zone of Zagreb. Nobody changes its users, and each test has records of its own. */
export const sharedProject = shareService(() => startProject({ TIME_ZONE: 'Europe/Zagreb' }))

let numbers = 0

/** A number that no other order of the process has. */
export const nextNumber = (): string => {
  numbers += 1
  return `PO-${numbers}`
}

/** Creates a record as a user and returns it. Fails on any status but 201. */
export const createAs = async (
  service: TestService,
  entityKey: string,
  body: Readonly<Record<string, unknown>>,
  as?: string,
): Promise<ReturnType<Reply['json']>> =>
  (await service.ask('POST', `/${entityKey}`, { body, as })).json(201)

/** Creates an order with a new number. */
export const createOrder = (
  service: TestService,
  values: Readonly<Record<string, unknown>> = {},
  as?: string,
) => createAs(service, 'order', { number: nextNumber(), ...values }, as)

/** The paths of the errors of a problem response, in order. Fails on another status. */
export const invalidPaths = (reply: Reply, status: number): string[] => {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  const { errors = [] } = reply.json() as { errors?: { path: string }[] }
  return errors.map(({ path }) => path)
}

/** The same, each as path and message. */
export const issuesOf = (reply: Reply, status: number): string[] => {
  assert.equal(reply.status, status, reply.text)
  const { errors = [] } = reply.json() as { errors?: { path: string; message: string }[] }
  return errors.map(({ path, message }) => `${path} ${message}`.trim())
}
