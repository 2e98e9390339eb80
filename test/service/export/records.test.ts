/** The records of an export, their order and pages, and who may export which of them with which columns. */

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  emailOf,
  emptyTables,
  insertRecords,
  type Role,
  shareExports,
  userIdOf,
} from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'

const service = await shareExports()

describe('the records of an export', () => {
  const indexes = Array.from({ length: 57 }, (_, index) => index)
  /** The ids of those that are not removed. */
  const kept = indexes.map((index) => index + 1).filter((id) => id % 10 !== 0)

  before(async () => {
    await emptyTables(service, 'supplier', 'item', 'keyed')
    await insertRecords(service, 'supplier', [{ name: 'b' }, { name: 'a' }])
    const items = indexes.map((index) => ({
      code: `c${index}`,
      count: index % 3 === 0 ? null : index % 2,
      supplier_id: index % 5 === 0 ? null : (index % 2) + 1,
      _is_deleted: index % 10 === 9,
    }))
    await insertRecords(service, 'item', items)
  })

  const idsOf = async (query: string, body: object = {}): Promise<number[]> => {
    const asked = { body: { $select: ['id'], ...body } }
    const { status, text } = await exportOf(service, `/item/export${query}`, asked)
    assert.equal(status, 200, text)
    return readCells(text)
      .slice(1)
      .map(([id]) => Number(id))
  }

  test('without limit or a body all matching records are exported, ordered by id', async () => {
    assert.deepEqual(await idsOf(''), kept)
    const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
    const response = await fetch(`${service.url}/item/export`, { method: 'POST', headers })
    assert.equal(response.status, 200)
    assert.equal(readCells(await response.text()).length, kept.length + 1)
  })

  test('limit without page is the first page; a page after the last is empty except for its header', async () => {
    assert.deepEqual(await idsOf('?limit=4'), kept.slice(0, 4))
    assert.deepEqual(await idsOf('?limit=1000000000&page=1000000000'), [])
    assert.equal((await exportOf(service, '/keyed/export')).text, 'name,supplier.name\r\n')
  })

  test('a page without a limit is a 400 that names it', async () => {
    const reply = await service.ask('POST', '/item/export?page=2', { body: {} })
    assert.deepEqual(invalidPaths(reply, 400), ['page'])
  })

  test('pages never overlap: together they have every record', async () => {
    const [limit, body] = [7, { $orderBy: ['supplier.name', '-count'] }]
    const whole = await idsOf('', body)
    const pages: number[][] = []
    for (let page = 1; page === 1 || pages.at(-1)?.length === limit; page++)
      pages.push(await idsOf(`?limit=${limit}&page=${page}`, body))
    assert.deepEqual(pages.flat(), whole)
    assert.deepEqual(
      whole.toSorted((a, b) => a - b),
      kept,
    )
  })

  test('an export rejects $count and names where the number of rows is returned', async () => {
    const { status, text } = await exportOf(service, '/item/export', { body: { $count: true } })
    assert.equal(status, 400)
    assert.match(text, /"path":"\$count".*manifest=true/)
  })
})

describe('the permissions of an export', () => {
  before(async () => {
    const seller = await userIdOf(service, emailOf('seller'))
    const other = await userIdOf(service, emailOf('auditor'))
    await emptyTables(service, 'country', 'supplier', 'item', 'note', 'labelled')
    const mine = { _created_by: seller }
    await insertRecords(service, 'country', [{ name: 'Croatia' }])
    await insertRecords(service, 'supplier', [
      { name: 'mine', country_id: 1, rating: 1, ...mine },
      { name: 'theirs', country_id: 1, rating: 2, _created_by: other },
    ])
    await insertRecords(service, 'item', [
      { code: 'created', supplier_id: 1, price: '1', ...mine },
      { code: 'owned', supplier_id: 2, price: '2', _created_by: other, _owned_by: seller },
      { code: 'given away', supplier_id: 2, price: '3', ...mine, _owned_by: other },
      { code: 'other', supplier_id: 1, price: '4', _created_by: other, _owned_by: other },
      { code: 'nobody', supplier_id: 2, price: '5' },
      { code: 'removed', supplier_id: 1, ...mine, _is_deleted: true },
    ])
    await insertRecords(service, 'note', [{ name: 'mine', ...mine }, { name: 'theirs' }])
    await insertRecords(service, 'labelled', [
      { name: 'a', supplier_id: 1 },
      { name: 'b', supplier_id: 2 },
    ])
  })

  const asRole = (role: Role, path: string, body: object = {}) =>
    exportOf(service, path, { as: emailOf(role), body })

  test('an export needs the permissions "export" and "read", and a column that the role may see', async () => {
    for (const [role, path, detail] of [
      ['blind', '/item/export', /"read" on "item"/],
      ['auditor', '/note/export', /./],
    ] as const) {
      const { status, headers, text } = await asRole(role, path)
      assert.equal(status, 403)
      assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
      assert.match(JSON.parse(text).detail, detail)
    }
  })

  test('columns that the role may not read are omitted, also by paths over them, and counted in X-Omitted-Columns', async () => {
    const items = await asRole('auditor', '/item/export')
    assert.equal(items.headers['x-omitted-columns'], '2')
    const [header] = readCells(items.text)
    assert.ok(!header?.includes('price') && !header?.includes('supplier_id'))
    assert.equal(header?.length, 27)
    const labelled = await asRole('auditor', '/labelled/export')
    assert.equal(labelled.headers['x-omitted-columns'], '4')
    assert.deepEqual(readCells(labelled.text), [
      ['ID', 'name', 'Supplier', 'Supplier no.', 'Country no.', 'Removed', 'Owner'],
      ['1', 'a', 'mine', '1', '1', 'false', null],
      ['2', 'b', 'theirs', '2', '1', 'false', null],
    ])
    const { headers } = await exportOf(service, '/item/export')
    assert.equal(headers['x-omitted-columns'], undefined)
  })

  const $select = ['code']
  const either = { $or: [{ code: 'other' }, { code: 'owned' }] }
  const scoped: readonly (readonly [name: string, path: string, body: object, rows: unknown[]])[] =
    [
      [
        'own is what one created or owns',
        '/item/export',
        { $select },
        ['created', 'owned', 'given away'],
      ],
      ['the scope is added to $where', '/item/export', { $select, $where: either }, ['owned']],
      ['the narrower of read and export applies', '/note/export', {}, ['mine']],
      ['a page is of records in scope', '/item/export?limit=2&page=2', { $select }, ['given away']],
      [
        'an associated record out of scope is null, except for the id of the link',
        '/labelled/export',
        { $select: ['name', 'supplier', 'supplier.name', 'supplier.country.name'] },
        [...['a', '1', 'mine', 'Croatia'], ...['b', '2', null, null]],
      ],
      [
        'a condition on an associated record out of scope reveals nothing of it',
        '/labelled/export',
        { $select: ['name'], $where: { 'supplier.rating': { $gte: 1 } } },
        ['a'],
      ],
      [
        'removed own records are exported only on request',
        '/item/export',
        { $select, $where: { _is_deleted: true } },
        ['removed'],
      ],
    ]
  for (const [name, path, body, expected] of scoped)
    test(`scope of the role: ${name}`, async () => {
      const { status, text } = await asRole('seller', path, body)
      assert.equal(status, 200, text)
      assert.deepEqual(readCells(text).slice(1).flat(), expected)
    })

  test('/api/entities lists the columns that an export has, with header and label', async () => {
    const settingsOf = async (entity: string, as?: string) =>
      (await service.ask('GET', `/api/entities/${entity}`, { as })).json().exportSettings
    const column = (field: string, headerName: string) => ({
      field,
      headerName,
      format: 'key',
      label: headerName,
    })
    assert.deepEqual(await settingsOf('labelled', emailOf('auditor')), {
      useFieldKeyAsHeader: false,
      escapeFormulas: true,
      columnDefs: [
        column('id', 'ID'),
        { ...column('name', 'name'), label: 'Name' },
        column('supplier.name', 'Supplier'),
        column('supplier', 'Supplier no.'),
        column('supplier.country', 'Country no.'),
        column('_is_deleted', 'Removed'),
        column('_owned_by', 'Owner'),
      ],
    })
    const { columnDefs } = await settingsOf('keyed')
    assert.deepEqual(columnDefs[1], { ...column('supplier.name', 'supplier.name'), label: 'Label' })
  })
})
