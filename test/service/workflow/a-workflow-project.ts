/** A project with workflows, and users with permissions for different actions. */
import assert from 'node:assert/strict'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type AskOptions,
  type ProjectFiles,
  type Reply,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

const action = (key: string, to: string, form?: string, kind = 'proceedToStep') => ({
  key,
  kind,
  to,
  ...(form !== undefined && { form }),
})

/** The workflow of `request`. */
export const workflow = {
  initialStep: 'draft',
  steps: [
    {
      key: 'draft',
      name: 'Draft',
      actions: [
        action('submit', 'review'),
        { ...action('remark', 'draft'), name: 'Leave a remark' },
        action('cancel', 'cancelled'),
      ],
    },
    {
      key: 'review',
      name: 'In review',
      actions: [
        action('approve', 'approved', 'approve', 'approveWorkflow'),
        action('reject', 'rejected', 'reject', 'rejectWorkflow'),
        action('price', 'review', 'price'),
        // The same key as in the step "draft", but with a form and another target step.
        action('cancel', 'rejected', 'reject', 'rejectWorkflow'),
      ],
    },
    { key: 'approved', name: 'Approved', final: true },
    { key: 'rejected', final: true },
    { key: 'cancelled', final: true },
  ],
  forms: [
    {
      key: 'approve',
      fields: ['approver', 'vendor', 'notes', 'margin', 'code', 'amount'],
      required: ['approver'],
    },
    { key: 'reject', fields: ['reason', 'notes'], required: ['reason'] },
    { key: 'price', fields: ['margin', 'amount'], required: ['margin', 'amount'] },
  ],
}

const entities: ProjectFiles = {
  'entities/request.json': {
    key: 'request',
    name: 'Request',
    ownership: true,
    fields: [
      { key: 'title', type: 'string', required: true, maxLength: 20 },
      { key: 'amount', name: 'Amount', type: 'decimal', precision: 10, scale: 2, min: '0' },
      { key: 'notes', type: 'text' },
      { key: 'reason', name: 'Reason', type: 'text' },
      { key: 'code', type: 'string', unique: true },
      { key: 'margin', type: 'decimal' },
      { key: 'approver', name: 'Approver', type: 'manyToOne', entity: 'user' },
      { key: 'vendor', type: 'manyToOne', entity: 'vendor' },
    ],
    workflow,
  },
  'entities/vendor.json': { key: 'vendor', fields: [{ key: 'name', type: 'string' }] },
  // Two records of one place cannot be in the same step.
  'entities/slot.json': {
    key: 'slot',
    fields: [{ key: 'place', type: 'string' }],
    indexes: [{ fields: ['place', '_step'], unique: true }],
    workflow: {
      initialStep: 'open',
      steps: [
        { key: 'open', actions: [action('take', 'taken')] },
        { key: 'taken', actions: [action('leave', 'open')] },
      ],
    },
  },
}

const request = (permission: object) => ({
  request: permission,
  user: { read: true },
  slot: { read: true },
})

const roles: ProjectFiles = {
  // Reads their own records, without the margin.
  'roles/buyer.json': {
    key: 'buyer',
    permissions: request({
      create: true,
      read: 'own',
      hiddenFields: ['margin'],
      actions: ['submit', 'remark', 'cancel', 'price', 'approve'],
    }),
  },
  'roles/approver.json': {
    key: 'approver',
    permissions: {
      ...request({ read: true, actions: ['approve', 'reject', 'price'] }),
      vendor: { read: true },
    },
  },
  'roles/reader.json': { key: 'reader', permissions: request({ read: true }) },
  'roles/nonreader.json': {
    key: 'nonreader',
    permissions: request({ read: false, actions: ['submit'] }),
  },
  'roles/hides_step.json': {
    key: 'hides_step',
    permissions: request({ read: true, actions: ['submit', 'reject'], hiddenFields: ['_step'] }),
  },
}

/** The files of the project. */
export const projectFiles: ProjectFiles = { ...entities, ...roles }

/** E-mail addresses of the users, by role. */
export const users = {
  buyer: 'buyer@example.com',
  approver: 'approver@example.com',
  reader: 'reader@example.com',
  nonreader: 'nonreader@example.com',
  hides_step: 'hides_step@example.com',
} as const

/** Starts the project with its users. */
export const startWorkflows = async (): Promise<TestService> => {
  const service = await startTestService(await writeProject(projectFiles))
  for (const [role, email] of Object.entries(users)) {
    const id = await insertUser(service.database.pool, {
      identity_provider_user_id: role,
      first_name: role,
      last_name: 'Example',
      full_name: `${role} Example`,
      email,
      role_key: role,
    })
    assert.ok(id)
  }
  return service
}

/** Creates a request, as the administrator unless `as` is given, and returns its id. */
export const createRequest = async (
  { ask }: TestService,
  values: object = {},
  as?: string,
): Promise<number> => {
  const body = { title: 'Chairs', ...values }
  const reply = await ask('POST', '/request', { body, ...(as && { as }) })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

/** Takes an action on a request. */
export const proceed = (
  { ask }: TestService,
  id: number,
  body: unknown,
  options: AskOptions = {},
): Promise<Reply> => ask('POST', `/request/${id}/proceedToStep`, { ...options, body })

/** Creates a request in the step `review`. */
export const createReviewed = async (
  service: TestService,
  values: object = {},
  as?: string,
): Promise<number> => {
  const id = await createRequest(service, values, as)
  const reply = await proceed(service, id, { action: 'submit' })
  assert.equal(reply.status, 200, reply.text)
  return id
}

/** The issues of an error response, each as path and message; fails when the status differs. */
export const issuesOf = (reply: Reply, status: number): string[] => {
  assert.equal(reply.status, status, reply.text)
  const { errors = [] } = reply.json() as { errors?: { path: string; message: string }[] }
  return errors.map(({ path, message }) => `${path} ${message}`.trim())
}
