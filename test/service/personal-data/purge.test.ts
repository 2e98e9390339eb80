/** A record is removed for good: nothing of it is left but a row of the audit, and others that link to it keep it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Observation } from '../../../src/observations.ts'
import { applyRetention, planRetention } from '../../../src/personal-data/retention.ts'
import { createAs } from '../../support/a-project.ts'
import { mailOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { deskProject } from '../../support/personal-data/a-desk-project.ts'
import { databaseOf } from '../../support/personal-data/stored-marks.ts'

const service = await startMailing(deskProject, {
  agent: 'agent',
  remover: 'remover',
  own: 'own_remover',
})
const { ask, ids } = service
const { rowsOf, tablesWith, settled } = databaseOf(service)
const agent = mailOf('agent')
const remover = { as: mailOf('remover') }

const newCustomer = async (mark: string, as = agent, more: object = {}): Promise<number> =>
  (
    await createAs(
      service,
      'customer',
      {
        code: mark,
        first_name: `${mark}first`,
        last_name: `${mark}last`,
        mail: `${mark}@example.com`.toLowerCase(),
        born_on: '1980-05-04',
        ...more,
      },
      as,
    )
  ).id

const purge = (id: number, options: object = remover) =>
  ask('DELETE', `/customer/${id}?forever=true`, options)

describe('a record that is removed for good', () => {
  test('leaves a row of the audit, and no text in any table', async () => {
    const mark = 'Zq7purged'
    const id = await newCustomer(mark)
    const path = `/customer/${id}`
    await ask('PATCH', path, { body: { remark: `${mark} remark` }, as: agent })
    const body = { description: `Call ${mark}first` }
    const task = (await ask('POST', `${path}/task`, { body, as: agent })).json(201).id
    await settled()
    assert.ok((await tablesWith(mark)).length > 5)
    assert.equal((await purge(id)).status, 204)
    await settled()
    assert.deepEqual(await tablesWith(mark), [])
    for (const [table, column, value] of [
      ['docket.history', 'entity_id', id],
      ['docket.mailing', 'entity_id', id],
      ['records.customer', 'id', id],
      ['records.task', 'id', task],
      ['docket.removed_with_record', 'entity_id', id],
    ] as const)
      assert.deepEqual(await rowsOf(`SELECT FROM ${table} WHERE ${column} = $1`, value), [], table)
    assert.deepEqual(
      await rowsOf(
        `SELECT user_id, entity_key, entity_id FROM docket.audit WHERE kind = 'purge' AND entity_id = $1`,
        id,
      ),
      [{ user_id: ids.remover, entity_key: 'customer', entity_id: id }],
    )
    assert.equal((await purge(id)).status, 404)
  })

  test('may have been removed before', async () => {
    const id = await newCustomer('before')
    assert.equal((await ask('DELETE', `/customer/${id}`, remover)).status, 204)
    assert.equal((await purge(id)).status, 204)
    assert.deepEqual(await rowsOf('SELECT FROM records.customer WHERE id = $1', id), [])
  })
})

describe('a record stays', () => {
  test('that others link to, removed ones too, and they are named as far as the caller reads them', async () => {
    const id = await newCustomer('linked')
    const ticket = (await createAs(service, 'ticket', { customer_id: id }, agent)).id
    await ask('DELETE', `/ticket/${ticket}`)
    const refused = await purge(id, {})
    assert.deepEqual(
      [refused.status, refused.json().code, refused.json().errors],
      [
        409,
        'record.linked',
        [{ path: 'ticket.customer', message: `one record links to it: ${ticket}` }],
      ],
    )
    const unseen = (await purge(id)).json(409)
    assert.deepEqual(unseen.errors, [
      { path: '', message: 'records that you may not read link to it' },
    ])
    assert.equal((await ask('GET', `/customer/${id}`, remover)).status, 200)
  })

  test('that is locked by its step', async () => {
    const id = await newCustomer('locked')
    await ask('POST', `/customer/${id}/proceedToStep`, { body: { action: 'close' }, as: agent })
    assert.deepEqual((await purge(id)).json(409).code, 'record.locked')
    await ask('DELETE', `/customer/${id}`)
  })

  test('that the permission does not include, and records of native entities', async () => {
    const id = await newCustomer('forbidden')
    assert.equal((await purge(id, { as: agent })).status, 403)
    assert.equal((await purge(id, { as: mailOf('own') })).status, 403)
    const own = await newCustomer('mine', mailOf('own'))
    assert.equal((await purge(own, { as: mailOf('own') })).status, 204)
    const user = await ask('DELETE', `/user/${ids.own}?forever=true`)
    assert.deepEqual([user.status, user.json().errors[0].path], [400, 'forever'])
    assert.equal((await purge(id, { ...remover, headers: { 'If-Match': '"7"' } })).status, 412)
  })

  test('or goes, but not both, when another one is linked to it at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await newCustomer(`race${round}`)
      const [gone, linked] = await Promise.all([
        purge(id),
        ask('POST', '/ticket', { body: { customer_id: id }, as: agent }),
      ])
      assert.ok(
        (gone.status === 204 && linked.status === 422) ||
          (gone.status === 409 && linked.status === 201),
        `${gone.status} ${linked.status} ${linked.text}`,
      )
    }
  })
})

describe('records whose time is over', () => {
  const { pool } = service.database
  const kept = { catalog: service.runtime.project.catalog, timeZone: 'UTC' }
  const observed: Observation[] = []
  const apply = () => applyRetention(pool, kept, (one) => void observed.push(one))
  const auditOf = (id: number) =>
    rowsOf(
      `SELECT kind, user_id, detail ->> 'after' AS after FROM docket.audit WHERE entity_id = $1 ORDER BY id`,
      id,
    )
  const dueNow = async () =>
    (await planRetention(pool, kept)).map(({ entityKey, due, linked }) => [entityKey, due, linked])
  const age = (table: string, ...ids: number[]) =>
    pool.query(
      `UPDATE records.${table}
       SET _created_at = _created_at - interval '3 years', _updated_at = _updated_at - interval '3 years'
       WHERE id = ANY ($1)`,
      [ids],
    )

  test('are removed for good, locked ones too, unless others link to them, which the plan tells', async () => {
    const [free, linked, young] = await Promise.all(
      ['free', 'held', 'young'].map((mark) => newCustomer(mark, agent, { credit: '7.00' })),
    )
    const old = [free, linked].map(Number)
    const [gone, stays] = await Promise.all(
      old.map((id) => createAs(service, 'ticket', { customer_id: id }, agent)),
    )
    // Its link to itself does not keep it.
    await ask('PATCH', `/customer/${free}`, { body: { recommended_by_id: free }, as: agent })
    await ask('POST', `/customer/${free}/proceedToStep`, { body: { action: 'close' }, as: agent })
    await ask('DELETE', `/ticket/${gone?.id}`)
    await settled()
    await age('customer', ...old)
    await age('ticket', Number(gone?.id), Number(stays?.id))
    const before = [
      ['customer', 2, 2],
      ['customer', 0, 0],
      ['ticket', 1, 0],
    ]
    assert.deepEqual(await dueNow(), before)
    await Promise.all([apply(), apply()])
    assert.deepEqual(await dueNow(), [['customer', 1, 1], ...before.slice(1, 2), ['ticket', 0, 0]])
    const left = await rowsOf(`SELECT id FROM records.customer WHERE credit = 7 ORDER BY id`)
    assert.deepEqual(
      left.map(({ id }) => id),
      [linked, young].toSorted(),
    )
    assert.deepEqual(await rowsOf('SELECT FROM records.ticket WHERE id = $1', gone?.id), [])
    assert.deepEqual(await auditOf(Number(free)), [
      { kind: 'purge', user_id: null, after: '2 years' },
    ])
    await settled()
    assert.deepEqual(
      await rowsOf(`SELECT FROM docket.job WHERE payload ->> 'entity_id' = $1`, String(free)),
      [],
    )
  })

  test('are anonymised once, and again when somebody is named in them', async () => {
    const id = await newCustomer('kept', agent, { credit: '8.00' })
    await settled()
    await Promise.all([apply(), apply()])
    await apply()
    const event = { kind: 'anonymise', user_id: null, after: '10 years' }
    assert.deepEqual(await auditOf(id), [event])
    const { first_name, _updated_by } = (await ask('GET', `/customer/${id}`)).json(200)
    assert.deepEqual([first_name, _updated_by], [`anonymised-${id}`, null])
    for (const [body, ...events] of [
      [{ code: `${id}` }, event],
      [{ city: 'Graz' }, event, event],
    ]) {
      await ask('PATCH', `/customer/${id}`, { body, as: agent })
      await apply()
      assert.deepEqual(await auditOf(id), events)
    }
    // The log says how many, of the rules that did anything.
    const applied = { entity: 'customer', operation: 'anonymise', after: '10 years', of: 'born_on' }
    const told = observed.filter((one) => 'after' in one && one.after === '10 years')
    const one = { kind: 'retentionApplied', ...applied, records: 1 }
    assert.deepEqual(told, [one, one])
    assert.equal((await ask('GET', `/customer/${id}`)).json(200).city, null)
  })
})
