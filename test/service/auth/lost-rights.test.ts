/** Rights that are lost in the middle: between two pages, during an export, while a bulk waits, before an e-mail is sent. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { startSenders, untilAll } from '../../support/deliveries/a-mailing.ts'
import { mailsOf } from '../../support/deliveries/a-mailing-project.ts'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'

const files = {
  ...entityFile('site', [{ key: 'code', type: 'string' }]),
  ...entityFile(
    'order',
    {
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [
        {
          operation: 'create',
          condition: { level: 9 },
          recipient: { userFields: ['keeper'] },
          content: { title: 'A new order', message: 'Look at it.' },
          emailTemplateId: 'order',
        },
      ],
    },
    [
      { key: 'name', type: 'string' },
      { key: 'level', type: 'integer' },
      { key: 'ballast', type: 'text' },
      { key: 'site', type: 'manyToOne', entity: 'site' },
      { key: 'keeper', type: 'manyToOne', entity: 'user' },
    ],
  ),
  'email-templates/order.mjml':
    '---\nsubject: An order\n---\n<mjml><mj-body><mj-section><mj-column><mj-text>{{ record.name }}</mj-text></mj-column></mj-section></mj-body></mjml>',
  'entities/user.json': {
    extends: 'native',
    key: 'user',
    fields: [{ key: 'site', type: 'manyToOne', entity: 'site' }],
  },
  ...roleFile('reader', {
    order: {
      read: true,
      update: true,
      export: true,
      conditions: { read: { site: { $caller: 'site' } } },
    },
    site: { read: true },
  }),
}

const service = opened(() => startTestService(files, { EXPORT_CONNECTIONS: '3' }))
const as = 'reader@example.com'
let user: number
let sites: readonly number[]
before(async () => {
  user = await insertPerson(service.database.pool, 'reader', 'reader')
  const create = async (code: string) => (await createAs(service, 'site', { code })).id as number
  sites = [await create('S1'), await create('S2')]
})
const moveTo = (index: number) =>
  service.ask('PATCH', `/user/${user}`, { body: { site_id: sites[index] } })
beforeEach(() => moveTo(0))

const createOrder = async (index: number, values: object = {}): Promise<number> =>
  (await createAs(service, 'order', { site_id: sites[index], ...values })).id

test('the page after a cursor has what the user reads when it is asked for', async () => {
  for (const index of [0, 1, 0, 1, 0, 1]) await createOrder(index, { level: 1 })
  const page = async ($after: string | null) => {
    const body = { $after, $where: { level: 1 }, $select: ['site.code'], $count: true }
    const reply = await service.ask('POST', '/order/search?limit=2', { as, body })
    const { data, next, total } = reply.json(200)
    return { codes: data.map(({ site }: { site: { code: string } }) => site.code), next, total }
  }
  const first = await page(null)
  assert.deepEqual([first.codes, first.total], [['S1', 'S1'], 3])
  await moveTo(1)
  // The last one of the other site stands behind the cursor.
  const second = await page(first.next)
  assert.deepEqual([second.codes, second.total], [['S2', 'S2'], 3])
})

test('an export that is under way is wholly what the user read when it began', async () => {
  await service.database.pool.query(
    `INSERT INTO records."order" (name, level, ballast, site_id)
     SELECT 'Order ' || n, 2, (SELECT string_agg(md5(n || '-' || i), '') FROM generate_series(1, 150) i), $1
     FROM generate_series(1, 6000) n`,
    [sites[0]],
  )
  await service.database.pool.query('VACUUM (ANALYZE) records."order"')
  const asked = { as, body: { $where: { level: 2 } } }
  const whole = await exportOf(service, '/order/export', asked)
  assert.equal(whole.status, 200)
  const response = await openExport(service, '/order/export', asked)
  await until('several connections copy', async () => (await runningExports(service)).length > 1)
  assert.equal((await moveTo(1)).status, 200)
  const { bytes } = await readToEnd(response)
  assert.ok(bytes.equals(whole.bytes))
  const later = await exportOf(service, '/order/export', asked)
  assert.equal(later.text.trim().split('\r\n').length, 1, 'only the header')
})

test('a bulk that waits for a record which its user loses does not write it', async () => {
  const { pool } = service.database
  const ids = [await createOrder(0), await createOrder(0), await createOrder(0)]
  const lost = ids[1] ?? 0
  const other = await pool.connect()
  try {
    await other.query('BEGIN')
    await other.query('UPDATE records."order" SET site_id = $2 WHERE id = $1', [lost, sites[1]])
    const running = service.ask('POST', '/order/bulk', {
      as,
      body: { ids, do: { change: { name: 'Written' } } },
    })
    await untilWaitingForLock(pool)
    await other.query('COMMIT')
    const { data } = (await running).json(200)
    const statuses = data.map(({ status, code }: { status: string; code: string }) => [
      status,
      code,
    ])
    const [first, second, third] = statuses
    assert.deepEqual(
      [first, third],
      [
        ['done', null],
        ['done', null],
      ],
    )
    assert.deepEqual(second, ['refused', 'record.unknown'])
  } finally {
    other.release()
  }
  const { rows } = await pool.query(
    'SELECT id, name FROM records."order" WHERE id = ANY ($1) ORDER BY id',
    [ids],
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['Written', null, 'Written'],
  )
})

test('an e-mail has nothing of a record that its recipient has lost since the event', async () => {
  const worker = await startTestWorker(service)
  const names = ['Vmkwqlost', 'Vmkwqkept']
  await createOrder(0, { level: 9, keeper_id: user, name: names[0] })
  await worker.settled()
  await moveTo(1)
  await createOrder(1, { level: 9, keeper_id: user, name: names[1] })
  await worker.settled()
  const stop = await startSenders(service, { EMAIL_PROVIDER: 'file' })
  await untilAll(service, 'sent')
  const mails = await mailsOf(service, as)
  assert.equal(mails.length, 2)
  const shown = mails.map(({ text, html }) =>
    names.filter((name) => `${text} ${html}`.includes(name)),
  )
  assert.deepEqual(shown.toSorted(), [[], [names[1]]])
  await stop()
})
