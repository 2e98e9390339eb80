/**
 * A project with workflows, and users with permissions for different actions. The files of a process share one service
 * of it, so each test has records of its own.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import {
  type AskOptions,
  type Reply,
  shareService,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { workflowFiles } from './a-workflow-definition.ts'

const people = [
  ...(['buyer', 'approver', 'reader', 'nonreader', 'hides_step'] as const),
  ...(['anna', 'boris', 'clerk', 'blind', 'drawer'] as const),
]
export type Person = (typeof people)[number]

/** E-mail addresses of the users. */
export const users = Object.fromEntries(
  people.map((name) => [name, `${name}@example.com`]),
) as Record<Person, string>

/** Roles that do not have the name of their user. */
const otherRoles: Partial<Record<Person, string>> = { anna: 'decider', boris: 'decider' }

/** Approval limits of the users. */
const limits: Partial<Record<Person, string>> = {
  approver: '100.00',
  hides_step: '100.00',
  anna: '100.00',
  boris: '1000.00',
  blind: '100.00',
}

const startWorkflows = async (): Promise<TestService> => {
  const started = await startTestService(workflowFiles)
  for (const name of people) {
    const id = await insertPerson(started.database.pool, name, otherRoles[name] ?? name)
    const body = { approval_limit: limits[name] ?? null }
    await started.ask('PATCH', `/user/${id}`, { body })
    ids[name] = id
  }
  return started
}

/** Ids of the users. */
export const ids = {} as Record<Person, number>
export let service: TestService
export const ask: TestService['ask'] = (...request) => service.ask(...request)

const shared = shareService(startWorkflows)

/** Gives the tests of a file the shared service. */
export const shareWorkflows = (): void =>
  before(async () => {
    service = await shared()
  })

/** Creates a request, as the administrator unless `as` is given, and returns its id. */
export const createRequest = async (values: object = {}, as?: string): Promise<number> => {
  const body = { title: 'Chairs', ...values }
  return (await ask('POST', '/request', { body, ...(as && { as }) })).json(201).id
}

/** Takes an action on a request. */
export const proceed = (id: number, body: unknown, options: AskOptions = {}): Promise<Reply> =>
  ask('POST', `/request/${id}/proceedToStep`, { ...options, body })

/** Where a record stands, and what the caller may do with it. */
export const actionsOf = async (path: string, options: AskOptions = {}) =>
  (await ask('GET', `${path}/actions`, options)).json(200)

export const keysOf = (actions: readonly { key: string }[]) => actions.map(({ key }) => key)

export const historyOf = async (path: string, options: AskOptions = {}) =>
  (await ask('GET', `${path}/history`, options)).json(200).data

/** Creates a request in the step `review`. */
export const createReviewed = async (values: object = {}, as?: string): Promise<number> => {
  const id = await createRequest(values, as)
  const reply = await proceed(id, { action: 'submit' })
  assert.equal(reply.status, 200, reply.text)
  return id
}
