/** What definitions say of their own rules reaches whoever breaks them, in the language of the answer where it has one. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const small = { total: { $lte: 1000 } }
const message = 'Two capitals and three digits, such as AB-123.'

const as = 'clerk@example.com'

let service: TestService
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/order.json': {
        ...{ key: 'order', name: 'Order' },
        fields: [
          { key: 'code', type: 'string', pattern: '[A-Z]{2}-\\d{3}', message },
          { key: 'total', type: 'integer' },
        ],
        workflow: {
          initialStep: 'draft',
          steps: [
            {
              key: 'draft',
              actions: [
                {
                  ...{ key: 'submit', kind: 'proceedToStep', to: 'sent' },
                  ...{ condition: small, message: 'Up to 1,000 without an offer.' },
                },
              ],
            },
            {
              key: 'sent',
              actions: [
                {
                  ...{ key: 'submit', kind: 'proceedToStep', to: 'done' },
                  ...{ condition: { code: { $ne: null } }, message: 'Not without a code.' },
                },
              ],
            },
            { key: 'done', final: true },
          ],
        },
      },
      'roles/clerk.json': {
        key: 'clerk',
        permissions: {
          order: {
            ...{ create: true, read: true, update: true, delete: true, actions: ['submit'] },
            conditions: { create: { total: { $ne: 7 } }, update: small, delete: small },
            messages: { create: 'Never seven.', update: 'Large orders are final.' },
          },
        },
      },
      'translations/de.json': {
        entities: {
          order: {
            fields: { code: { message: 'Zwei Großbuchstaben und drei Ziffern.' } },
            actionMessages: { draft: { submit: 'Bis 1.000 ohne Angebot.' } },
          },
        },
        roles: { clerk: { messages: { order: { update: 'Große Aufträge bleiben.' } } } },
      },
    }),
  )
  await insertUser(service.database.pool, {
    ...{ identity_provider_user_id: 'clerk', email: as, role_key: 'clerk' },
    ...{ first_name: 'A', last_name: 'Clerk', full_name: 'A Clerk' },
  })
})

const create = async (values: object): Promise<number> =>
  (await service.ask('POST', '/order', { body: values })).json().id

test('a value that does not match its pattern is refused with the message, in every way of writing', async () => {
  const made = await service.ask('POST', '/order', { body: { code: 'x' } })
  assert.deepEqual([made.status, made.json().errors], [422, [{ path: 'code', message }]])
  const changed = await service.ask('PATCH', `/order/${await create({})}`, { body: { code: 'x' } })
  assert.equal(changed.json().detail, `code: ${message}`)
})

test('clients read it with the definition, in their language, and with the OpenAPI document', async () => {
  const messageIn = async (language: string) => {
    const headers = { 'Accept-Language': language }
    const { fields } = (await service.ask('GET', '/api/entities/order', { headers })).json()
    return fields.find(({ key }: { key: string }) => key === 'code').message
  }
  assert.equal(await messageIn('en'), message)
  assert.equal(await messageIn('de'), 'Zwei Großbuchstaben und drei Ziffern.')
  assert.ok((await service.ask('GET', '/api/openapi.json')).text.includes(message))
})

test('an action that is not open says why, with the message of its step', async () => {
  const large = await create({ total: 5000 })
  const unmetIn = async (id: number, language: string) => {
    const headers = { 'Accept-Language': language }
    return (await service.ask('GET', `/order/${id}/actions`, { as, headers })).json()
  }
  const english = await unmetIn(large, 'en')
  assert.deepEqual(
    [...english.unmet, ...english.unmetRights].map(({ message }) => message),
    ['Up to 1,000 without an offer.', 'Large orders are final.', null],
  )
  const german = await unmetIn(large, 'de')
  assert.deepEqual(
    [...german.unmet, ...german.unmetRights].map(({ message }) => message),
    ['Bis 1.000 ohne Angebot.', 'Große Aufträge bleiben.', null],
  )
  const small = await create({ total: 5 })
  const body = { action: 'submit' }
  assert.equal(
    (await service.ask('POST', `/order/${small}/proceedToStep`, { as, body })).status,
    200,
  )
  assert.equal((await unmetIn(small, 'de')).unmet[0].message, 'Not without a code.')
})

test('errors of conditions end with the message', async () => {
  const large = await create({ total: 5000 })
  const detailOf = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    (await service.ask(method, path, { as, ...(body && { body }) })).json().detail
  const path = `/order/${large}`
  const action = { action: 'submit' }
  assert.match(
    await detailOf('POST', `${path}/proceedToStep`, action),
    /"total" does not hold\. Up to 1,000 without an offer\.$/,
  )
  assert.match(await detailOf('PATCH', path, { code: 'AB-123' }), /\. Large orders are final\.$/)
  assert.match(await detailOf('POST', '/order', { total: 7 }), /\. Never seven\.$/)
  assert.match(await detailOf('DELETE', path), /"total" does not hold\.$/)
})

test('who is not an administrator reads neither conditions nor messages of a workflow in the definition', async () => {
  const stepsOf = async (caller?: string) => {
    const reply = await service.ask('GET', '/api/entities/order', caller ? { as: caller } : {})
    return JSON.stringify(reply.json().workflow.steps)
  }
  assert.ok((await stepsOf()).includes('without an offer'))
  assert.ok(!/condition|message/.test(await stepsOf(as)))
})
