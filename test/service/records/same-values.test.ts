/**
 * Which values are the same, to `unique`, to conditions and to searches: texts that look the same and telephone numbers that are typed
 * in another way are, empty values are not.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const composed = 'Caf\u00E9'
const decomposed = 'Cafe\u0301'
const alike = [decomposed, ` ${composed}`, `${decomposed} `, `\u00A0${composed}\t\u3000`]

const service = await startTestService({
  'docket.json': { locale: 'de-DE' },
  ...entityFile('partner', [
    { key: 'name', type: 'string', unique: true },
    { key: 'mail', type: 'email', unique: true },
    { key: 'notes', type: 'text' },
    { key: 'kind', type: 'enum', values: [composed, 'Bar'] },
    { key: 'page', type: 'url' },
    { key: 'extra', type: 'json' },
    { key: 'required', type: 'string', required: true, default: 'x' },
    { key: 'code', type: 'string', unique: 'ignoreCase' },
  ]),
  'entities/room.json': {
    key: 'room',
    fields: [
      { key: 'owner', type: 'manyToOne', entity: 'partner' },
      { key: 'kind', type: 'enum', values: ['office', 'hall'] },
      { key: 'label', type: 'string' },
      { key: 'door', type: 'string', unique: true },
    ],
    indexes: [{ fields: ['owner', 'kind', 'label'], unique: true }],
  },
  'entities/shelf.json': {
    key: 'shelf',
    fields: [
      { key: 'room', type: 'manyToOne', entity: 'room' },
      { key: 'label', type: 'string' },
    ],
    indexes: [{ fields: ['room', 'label'], unique: 'ignoreCase', nullsNotDistinct: true }],
  },
  ...entityFile('contact', { displayField: 'name' }, [
    { key: 'name', type: 'string' },
    { key: 'phone', type: 'phone', unique: true },
    { key: 'vienna', type: 'phone', region: 'AT' },
  ]),
  ...roleFile('waiter', {
    partner: {
      read: true,
      update: true,
      conditions: { update: { name: ` ${decomposed}` } },
    },
  }),
})
after(() => service.stop())
const { ask } = service
await createUser(service, 'waiter')
const create = async (entity: string, body: object) => ask('POST', `/${entity}`, { body })
const cafe = (await create('partner', { name: decomposed, notes: ` ${decomposed}\n` })).json()
const bar = (await create('partner', { name: 'Bar', mail: 'bar@example.com' })).json()

describe('texts that look the same', () => {
  test('are stored in one form, in which only the ends of a line lose their blanks', async () => {
    const body = {
      kind: decomposed,
      mail: ' anna@example.com\n',
      notes: ` ${decomposed} `,
      page: `https://example.com/${decomposed}`,
      extra: { [decomposed]: ` ${decomposed}` },
    }
    const stored = (
      await create('partner', { name: `a  b ${decomposed.slice(3)}`, ...body })
    ).json()
    assert.deepEqual(stored, {
      ...stored,
      ...body,
      name: `a  b ${composed.slice(3)}`,
      kind: composed,
      mail: 'anna@example.com',
      notes: ` ${composed} `,
    })
  })

  test('are one value of a unique field', async () => {
    for (const name of [composed, ...alike]) {
      const created = await create('partner', { name })
      const changed = await ask('PATCH', `/partner/${bar.id}`, { body: { name } })
      const many = await ask('POST', '/partner/bulk', {
        body: { ids: [bar.id], do: { change: { name } } },
      })
      const codes = [created.json().code, changed.json().code, many.json().data[0].code]
      assert.deepEqual(codes, Array(3).fill('record.conflict'), JSON.stringify(name))
    }
    const { status } = await create('partner', { mail: ' bar@example.com ' })
    assert.equal(status, 409)
  })

  test('are found by every operator of texts, in searches and exports', async () => {
    for (const operator of ['$eq', '$in', '$startsWith', '$contains', '$like', '$ilike'])
      for (const text of [composed, ...(operator === '$eq' ? alike : [decomposed])]) {
        const $where = { name: { [operator]: operator === '$in' ? [text] : text } }
        const body = { $where, $select: ['id'] }
        const found = await ask('POST', '/partner/search', { body })
        assert.deepEqual(found.json().data, [{ id: cafe.id }], JSON.stringify($where))
        const exported = await ask('POST', '/partner/export?format=csv', { body })
        assert.equal(exported.text, `id\r\n${cafe.id}\r\n`)
      }
  })

  test('are the same in text of several lines, in choices, and in conditions of roles', async () => {
    for (const $where of [
      { notes: { $contains: decomposed }, name: composed },
      { notes: ` ${decomposed}\n`, name: composed },
      { kind: { $in: [decomposed, ` ${composed}`] } },
    ]) {
      const body = { $where, $count: true }
      assert.equal((await ask('POST', '/partner/search', { body })).json().total, 1)
    }
    const waiter = { as: 'waiter@example.com', body: { kind: 'Bar' } }
    assert.equal((await ask('PATCH', `/partner/${cafe.id}`, waiter)).status, 200)
    assert.equal((await ask('PATCH', `/partner/${bar.id}`, waiter)).status, 403)
  })

  test('differ where a text has other letters, another case or other blanks within', async () => {
    for (const name of ['Cafe', 'CAF\u00C9', 'a b', 'a  b', 'a\u00A0b'])
      assert.equal((await create('partner', { name })).status, 201)
  })

  test('a required text of blanks is empty', async () => {
    const { text, status } = await create('partner', { required: ' \u00A0' })
    assert.equal(status, 422, text)
  })

  test('so many marks on one letter that composing them takes long are refused', async () => {
    const text = `a${'\u0301\u0316'.repeat(20_000)}`
    for (const body of [{ notes: text }, { kind: text }])
      assert.ok([400, 422].includes((await create('partner', body)).status))
    const body = { $where: { notes: text.slice(0, 500) } }
    assert.equal((await ask('POST', '/partner/search', { body })).status, 400)
    const { json } = await create('partner', { notes: text.slice(0, 31) })
    assert.equal(json().notes, text.slice(0, 31).normalize('NFC'))
  })
})

describe('texts that differ in nothing but their case', () => {
  const taken =
    /"path":"code","message":"another partner has the same value; it must be unique, whatever its case"/
  const first = create('partner', { code: '\u00C4b-1' })

  test('are the same to a field with "ignoreCase", which keeps them as they were written', async () => {
    const { json } = await first
    assert.equal(json().code, '\u00C4b-1')
    for (const code of ['\u00C4b-1', '\u00E4B-1', ' A\u0308B-1']) {
      const refused = await create('partner', { code })
      assert.equal(refused.status, 409)
      assert.match(refused.text, taken)
    }
    const same = await ask('PATCH', `/partner/${json().id}`, { body: { code: '\u00E4B-1' } })
    assert.equal(same.json().code, '\u00E4B-1')
    const other = await create('partner', { code: 'Ab-1' })
    assert.equal(other.status, 201)
    const changed = await ask('PATCH', `/partner/${other.json().id}`, {
      body: { code: '\u00E4b-1' },
    })
    assert.match(changed.text, taken)
    const many = await ask('POST', '/partner/bulk', {
      body: { ids: [other.json().id], do: { change: { code: '\u00C4B-1' } } },
    })
    assert.equal(many.json().counts.refused, 1, many.text)
  })

  test('differ to conditions, and are free again when their record is removed', async () => {
    const { id } = (await first).json()
    const body = { $where: { code: '\u00C4B-1' }, $count: true }
    assert.equal((await ask('POST', '/partner/search', { body })).json().total, 0)
    assert.equal((await ask('DELETE', `/partner/${id}`)).status, 204)
    assert.equal((await create('partner', { code: '\u00C4B-1' })).status, 201)
    assert.equal((await ask('POST', `/partner/${id}/restore`)).status, 409)
  })

  test('are the same to a combination, with missing values if it says so', async () => {
    const room_id = (await create('room', {})).json().id
    for (const [body, again] of [
      [
        { room_id, label: 'Top' },
        { room_id, label: 'tOP' },
      ],
      [{ room_id }, { room_id, label: null }],
      [{ label: 'Top' }, { label: 'TOP' }],
      [{}, {}],
    ] as const) {
      assert.equal((await create('shelf', body)).status, 201, JSON.stringify(body))
      const refused = await create('shelf', again)
      assert.equal(refused.status, 409)
      assert.match(
        refused.text,
        /"path":"(label|room_id)?","message":"another shelf has the same combination of room_id, label; it must be unique, whatever its case"/,
      )
    }
    const other = (await create('shelf', { room_id, label: 'other' })).json().id
    const cleared = await ask('PATCH', `/shelf/${other}`, { body: { label: null } })
    assert.match(cleared.text, /"path":"label","message":"another shelf has the same/)
  })
})

describe('empty values', () => {
  const full = { owner_id: cafe.id, kind: 'hall', label: 'a' }

  test('are no values: any number of records may lack a unique field', async () => {
    for (const body of [{}, { door: null }]) assert.equal((await create('room', body)).status, 201)
  })

  test('of one part leave out the record from a unique combination, whatever the part', async () => {
    assert.equal((await create('room', full)).status, 201)
    assert.equal((await create('room', full)).status, 409)
    for (const part of Object.keys(full)) {
      const lacking = { ...full, [part]: null }
      const [first, second] = [await create('room', lacking), await create('room', lacking)]
      assert.deepEqual([first.status, second.status], [201, 201])
      const filled = await ask('PATCH', `/room/${first.json().id}`, { body: full })
      assert.equal(filled.status, 409)
      assert.match(
        filled.text,
        /another room has the same combination of owner_id, kind, label; it must be unique/,
      )
      const ids = [first.json().id, second.json().id]
      const body = { ids, do: { change: { label: 'b', [part]: null } } }
      const many = await ask('POST', '/room/bulk', { body })
      assert.equal(many.json().counts.refused, 0, many.text)
    }
  })

  test('are null alone: an empty text is a value', async () => {
    assert.equal((await create('room', { door: '' })).status, 201)
    assert.equal((await create('room', { door: ' ' })).status, 409)
    assert.equal((await create('room', { ...full, label: '' })).status, 201)
    assert.equal((await create('room', { ...full, label: ' ' })).status, 409)
  })
})

const addContact = (body: object) => create('contact', body)
const anna = await addContact({ name: 'Anna', phone: '030 901-820', vienna: '01 58858' })
await addContact({ name: 'Marko', phone: '+385 1 2345 678' })

describe('telephone numbers', () => {
  const namesFor = async (criteria: object): Promise<unknown> => {
    const { data } = (await ask('POST', '/contact/search', { body: criteria })).json()
    return data.map(({ name }: { name: string }) => name)
  }

  test('a number is answered in E.164, by the region of the field or of the locale', () => {
    const { phone, vienna } = anna.json()
    assert.deepEqual([phone, vienna], ['+4930901820', '+43158858'])
  })

  test('the same number typed otherwise is the same unique value', async () => {
    assert.equal((await addContact({ phone: '(0049) 30 / 901820' })).status, 409)
  })

  test('what is no number is a 422 that says what to type', async () => {
    const refused = await addContact({ phone: '112' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /as it is dialled in DE, or with its country/)
  })

  test('conditions and the search find a number however it is typed', async () => {
    for (const criteria of [
      { $where: { phone: '030/901820' } },
      { $where: { phone: { $in: ['0049 30 901820', null] } } },
      { $where: { phone: { $startsWith: '030 90' } } },
      { $where: { phone: { $ilike: '030 9%' } } },
      { $where: { phone: { $ilike: '%30 90-18%' } } },
      { $where: { phone: { $contains: '90 18 20' } } },
      { $search: '030 901-820' },
      { $search: '(030)901820' },
    ])
      assert.deepEqual(await namesFor(criteria), ['Anna'], JSON.stringify(criteria))
  })

  test('the search of all entities finds a unique number', async () => {
    const found = await ask('GET', `/api/search?q=${encodeURIComponent('030 901820')}`)
    assert.match(found.text, /"display":"Anna"/)
  })

  test('CSV has E.164 without an apostrophe', async () => {
    const { text } = await ask('POST', '/contact/export', { body: { $select: ['name', 'phone'] } })
    assert.match(text, /\r\nAnna,\+4930901820\r\nMarko,\+38512345678\r\n$/)
  })

  test('the definition names the region that counts', async () => {
    const { fields } = (await ask('GET', '/api/entities/contact')).json()
    const regions = fields.flatMap(({ region }: { region?: string }) => region ?? [])
    assert.deepEqual(regions, ['DE', 'AT'])
  })
})
