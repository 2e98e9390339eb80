/** docs/who-sees-what.md: its definitions make one project, in which each role sees what the page says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const page = readFileSync(new URL('../../../docs/who-sees-what.md', import.meta.url), 'utf8')
const blocks = page.matchAll(/<!-- sees (\S+) -->\n```json\n([\s\S]*?)```/g)
const string = (key: string) => ({ key, type: 'string' })
const files = {
  ...entityFile('branch', [string('name')]),
  ...entityFile('customer', [
    string('name'),
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
  ]),
  ...entityFile('order_line', [
    string('name'),
    { key: 'order', type: 'manyToOne', entity: 'order' },
  ]),
  ...Object.fromEntries([...blocks].map(([, path = '', json = '']) => [path, json])),
}

/** The rows of a table of the page, by the name of its first column. */
const tableOf = (first: string): readonly (readonly string[])[] => {
  const [, rows = ''] =
    new RegExp(`^\\| ${first} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? []
  return rows
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
const sights = tableOf('Role')

const service = opened(() => startTestService(files))
const emailOf = (role: string) => `${role}@example.com`
before(async () => {
  const create = async (path: string, body: object) =>
    (await createAs(service, path, { ...body })).id as number
  const places: Record<string, number> = {}
  for (const name of ['Zagreb', 'Rijeka']) places[name] = await create('branch', { name })
  for (const name of ['North', 'South'])
    places[name] = await create('user_group', { code: name.toLowerCase(), name })
  const users: Record<string, number> = {}
  for (const [role = ''] of sights) {
    const user_id = await insertPerson(service.database.pool, role, role)
    users[role] = user_id
    await service.ask('PATCH', `/user/${user_id}`, { body: { branch_id: places.Zagreb } })
    await create('user_group_member', { user_id, user_group_id: places.North })
  }
  for (const [name = '', branch = '', team = '', seller = '', author = ''] of tableOf('Order')) {
    const order_id = await create('order', {
      number: name,
      margin: '1.00',
      branch_id: places[branch],
      team_id: places[team] ?? null,
      seller_id: users[seller] ?? null,
      customer_id: await create('customer', { name }),
    })
    if (author !== '')
      await service.database.pool.query(
        'UPDATE records."order" SET _created_by = $1 WHERE id = $2',
        [users[author], order_id],
      )
    await create('order_line', { name, order_id })
  }
})

const seen = async (role: string, entity: string, name: string): Promise<string> => {
  const reply = await service.ask('POST', `/${entity}/search`, {
    as: emailOf(role),
    body: { $orderBy: [name] },
  })
  if (reply.status === 404 || reply.status === 403) return ''
  return reply
    .json(200)
    .data.map((record: Record<string, string>) => record[name])
    .join(' ')
}

test('the page has roles and orders', () => {
  assert.deepEqual([sights.length, tableOf('Order').length], [5, 4])
})

for (const [role = '', ...expected] of sights)
  test(`a user of the role ${role} sees what the page says`, async () => {
    const found = [
      await seen(role, 'order', 'number'),
      await seen(role, 'order_line', 'name'),
      await seen(role, 'customer', 'name'),
    ]
    assert.deepEqual(found, expected)
  })

test('a hidden field is nowhere, and one that is only read cannot be changed', async () => {
  const as = emailOf('fields')
  const { id, ...order } = (await service.ask('GET', '/order?limit=1', { as })).json(200).data[0]
  assert.ok(!('margin' in order) && 'branch_id' in order)
  const body = { $where: { margin: '1.00' } }
  assert.equal((await service.ask('POST', '/order/search', { as, body })).status, 400)
  const change = { branch_id: order.branch_id }
  assert.equal((await service.ask('PATCH', `/order/${id}`, { as, body: change })).status, 400)
})

test('the explanation says which criterion keeps an order from a user', async () => {
  const body = { $where: { number: 'O-3' } }
  const [order] = (await service.ask('POST', '/order/search', { body })).json(200).data
  const user = (await service.ask('GET', '/api/me', { as: emailOf('branch') })).json(200)
  const asked = { entityKey: 'order', entityId: order.id, userId: user.id }
  const { roles } = (await service.ask('POST', '/api/access/explain', { body: asked })).json(200)
  const { reason, criteria } = roles[0].rights[0]
  assert.deepEqual([reason, criteria[0].isMet], ['criteria not met', false])
  assert.deepEqual(criteria[0].where, { branch: { $eq: { $caller: 'branch' } } })
})

test('the definition of an entity says the condition to those who see what it compares', async () => {
  const conditionFor = async (role: string) =>
    (await service.ask('GET', '/api/entities/order', { as: emailOf(role) })).json(200).readCondition
  assert.deepEqual(await conditionFor('branch'), { branch: { $caller: 'branch' } })
  assert.deepEqual(await conditionFor('team'), { team: { $in: { $caller: 'groups.user_group' } } })
  assert.deepEqual([await conditionFor('own'), await conditionFor('fields')], [null, null])
})
