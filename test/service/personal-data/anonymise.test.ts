/** A person is forgotten: no text of theirs is left in any table, and ids, links and amounts stay. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { mailOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { deskProject } from '../../support/personal-data/a-desk-project.ts'
import { databaseOf } from '../../support/personal-data/stored-marks.ts'

const service = await startMailing(deskProject, {
  agent: 'agent',
  officer: 'officer',
  owner: 'own',
})
const { ask, ids } = service
const { rowsOf, tablesWith, settled } = databaseOf(service)
const officer = { as: mailOf('officer') }
const agent = { as: mailOf('agent') }

const customerOf = (mark: string) => ({
  code: mark.slice(-4),
  first_name: `${mark}first`,
  last_name: `Van ${mark}last`,
  mail: `${mark}@example.com`.toLowerCase(),
  phone: '+4915112345678',
  city: 'Marburg',
  born_on: '1980-05-04',
  children: 3,
  profile: { nick: [`${mark}nick`] },
  remark: `Line one\n${mark}remark "quoted"`,
  credit: '120.50',
})

const forget = (path: string, options: object = officer) =>
  ask('POST', `${path}/anonymise`, options)

describe('a customer', () => {
  const mark = 'Zq7customer'
  let id = 0
  let ticket = 0
  let path = ''
  before(async () => {
    await createAs(service, 'customer', { ...customerOf('Other'), code: 'O' })
    const headers = { 'Idempotency-Key': 'create-it' }
    const body = customerOf(mark)
    id = (await ask('POST', '/customer', { body, headers, ...agent })).json(201).id
    path = `/customer/${id}`
    await ask('PATCH', path, { body: { remark: `${mark} once more` }, ...agent })
    ticket = (await createAs(service, 'ticket', { subject: 'Broken', customer_id: id }, agent.as))
      .id
    await ask('POST', `${path}/task`, { body: { description: `Call ${mark}first` }, ...agent })
    const action = { action: 'close', comment: `${mark} does not pay` }
    await ask('POST', `${path}/proceedToStep`, { body: action, ...agent })
    const view = { entity_key: 'ticket', name: `Of ${mark}first` }
    await createAs(service, 'saved_view', view, agent.as)
    await settled()
  })

  test('a dry run says how many rows tell of them, and writes nothing', async () => {
    const plan = (await ask('POST', `${path}/anonymise?dryRun=true`, officer)).json(200)
    assert.deepEqual(
      [plan.dryRun, plan.fields],
      [
        true,
        [
          'first_name',
          'last_name',
          'mail',
          'phone',
          'city',
          'born_on',
          'children',
          'profile',
          'remark',
        ],
      ],
    )
    type Count = { table: string; rows: number }
    const tables = (counts: Count[]) => counts.map(({ table, rows }) => `${table} ${rows}`).sort()
    assert.deepEqual(tables(plan.rows), [
      'attachment 1',
      'delivery 2',
      'history 4',
      'idempotency_key 1',
      'job 1',
      'mailing 2',
      'notification 2',
    ])
    assert.deepEqual(tables(plan.elsewhere), [
      'history 1',
      'mailing 1',
      'notification 1',
      'saved_view 1',
      'task 1',
    ])
    assert.equal((await ask('GET', path, agent)).json(200).last_name, `Van ${mark}last`)
  })

  test('is there in many tables, and in none after the anonymising; only officers may do it', async () => {
    // As a mail server may say it.
    await rowsOf(`UPDATE docket.delivery SET last_error = '550 ${mark}first is unknown'`)
    const tables = await tablesWith(mark)
    assert.ok(tables.length > 6, tables.join())
    assert.equal((await forget(path, agent)).status, 403)
    assert.equal((await forget(path, { as: mailOf('owner') })).status, 403)
    assert.equal((await forget('/customer/9999')).status, 404)
    assert.equal((await forget(`/ticket/${ticket}`, {})).status, 404)
    const reply = (await forget(path)).json(200)
    assert.equal(reply.dryRun, false)
    await settled()
    assert.deepEqual(await tablesWith(mark), [])
  })

  test('keeps ids, links and amounts, and valid values in required fields', async () => {
    const record = (await ask('GET', path)).json(200)
    assert.deepEqual(
      {
        ...Object.fromEntries(
          ['code', 'first_name', 'last_name', 'mail', 'phone', 'city'].map((name) => [
            name,
            record[name],
          ]),
        ),
        rest: [
          record.born_on,
          record.children,
          record.twice,
          record.profile,
          record.remark,
          record.credit,
          record._step,
        ],
      },
      {
        code: mark.slice(-4),
        first_name: `anonymised-${id}`,
        last_name: `anonymised-${id}`,
        mail: `anonymised-${id}@example.invalid`,
        phone: null,
        city: null,
        rest: ['1900-01-01', null, null, null, null, '120.50', 'closed'],
      },
    )
    assert.equal((await ask('GET', `/ticket/${ticket}`)).json(200).customer_id, id)
    const history = (await ask('GET', `${path}/history`)).json(200).data
    assert.deepEqual(
      history.map(({ operation }: { operation: string }) => operation),
      ['anonymise', 'proceedToStep', 'createTask', 'change', 'create'],
    )
    assert.deepEqual(history[0].user.id, ids.officer)
    assert.deepEqual(history[3].changes, { remark: { before: null, after: null } })
    assert.deepEqual(history[4].changes.credit, { after: '120.50' })
    assert.deepEqual(history[4].changes.twice, { after: null })
    assert.equal(history[1].comment, null)
  })

  test('a row of the audit says who did it to what', async () => {
    assert.deepEqual(
      await rowsOf(
        `SELECT kind, user_id, entity_key, entity_id, detail::text FROM docket.audit WHERE user_id IS NOT NULL`,
      ),
      [
        {
          kind: 'anonymise',
          user_id: ids.officer,
          entity_key: 'customer',
          entity_id: id,
          detail: '{}',
        },
      ],
    )
    // The history of the record says it too, and the list has it once.
    for (const kind of ['', '&kind=anonymise']) {
      const { data } = (await ask('GET', `/api/audit?entity=customer&record=${id}${kind}`)).json(
        200,
      )
      const acts = data.filter((one: { kind: string }) => one.kind === 'anonymise')
      assert.deepEqual(
        acts.map((one: { id: string }) => one.id[0]),
        ['e'],
      )
    }
  })

  test('a repeated create gets nothing of the record, and texts of others stay', async () => {
    const headers = { 'Idempotency-Key': 'create-it' }
    const again = await ask('POST', '/customer', { body: customerOf(mark), headers, ...agent })
    assert.deepEqual([again.status, again.text], [201, '{}'])
    assert.ok((await tablesWith('OtherFirst')).includes('docket.history'))
    const contents = await rowsOf(
      `SELECT content->>'title' AS title, content->>'message' AS message
       FROM docket.notification WHERE user_id = $1 ORDER BY 1, 2`,
      ids.agent,
    )
    const name = `anonymised-${id}`
    // Another customer lives in Marburg too.
    assert.deepEqual(contents, [
      { title: name, message: '' },
      { title: name, message: '' },
      { title: `For ${name} ${name}`, message: `${name}, Marburg (agent Example)` },
    ])
  })

  test('can be anonymised again, which changes nothing more', async () => {
    assert.equal((await forget(path)).status, 200)
    await settled()
    assert.equal((await ask('GET', path)).json(200).first_name, `anonymised-${id}`)
  })
})
