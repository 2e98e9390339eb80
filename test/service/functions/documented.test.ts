/** The content of docs/functions.md is correct: its functions run, its definition is valid, its lists are complete. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { checkFunctions } from '../../../src/functions/check-functions.ts'
import { nativeFunctions } from '../../../src/functions/native-functions.ts'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createFunctions, subject } from '../../support/functions/some-functions.ts'
import { copyExample, startTestService, writeProject } from '../../support/service.ts'

const page = readFileSync(new URL('../../../docs/functions.md', import.meta.url), 'utf8')
const files = Object.fromEntries(
  [...page.matchAll(/<!-- project (\S+) -->\n```ts\n([\s\S]*?)```/g)].map(
    ([, path = '', text = '']) => [path, text],
  ),
)

test('the page contains one function of each kind', () => {
  assert.deepEqual(Object.keys(files), [
    'document-functions/order-summary.ts',
    'message-handlers/notify_warehouse.ts',
  ])
})

test('the command of the page runs the function of the page on the example', async () => {
  const [command = ''] = /^docket function .+$/m.exec(page) ?? []
  const { directory: project, environment, remove } = await openSeededExample()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(project, path, '..'), { recursive: true })
    await writeFile(join(project, path), text)
  }
  const out = join(project, 'documents')
  const args = [...command.split(' ').slice(1), '--out', out]
  const { code, err } = await callDocket(args, environment)
  assert.equal(code, 0, err)
  assert.match(err, /PO-2024-00001 has 1 lines/)
  assert.equal(
    await readFile(join(out, 'PO-2024-00001.txt'), 'utf8'),
    '70.000 × Synthetic enamel, semi-gloss, RAL 9005\n',
  )
  assert.match(await readFile(join(out, 'PO-2024-00001.csv'), 'utf8'), /^"ID",Number,.*\r\n1,PO-/)
  await remove()
})

test('the message handler of the page runs', async () => {
  const functions = await createFunctions(files)
  await functions.handleMessage('notify_warehouse', subject)
  assert.deepEqual(
    functions.logged.map(({ text }) => text),
    ['Anna Kovač did a change on order 7'],
  )
  await functions.remove()
})

test('the definition of the page is valid with the functions of the page, and only with them', async () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const project = await copyExample()
  const order = {
    key: 'order',
    fields: [{ key: 'number', type: 'string' }],
    ...JSON.parse(json),
  }
  await writeFile(join(project, 'entities', 'order.json'), JSON.stringify(order))
  const findings = async () => {
    const loaded = await loadProject(project)
    assert.ok(loaded.project, JSON.stringify(loaded.findings))
    return (await checkFunctions(loaded.project)).map(({ path }) => path)
  }
  assert.deepEqual(await findings(), [
    'hooks[0].functionName',
    'notifications[0].attachments.documentFunctions[0]',
  ])
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(project, path, '..'), { recursive: true })
    await writeFile(join(project, path), text)
  }
  assert.deepEqual(await findings(), [])
  await rm(project, { recursive: true })
})

test('the page lists every operation of a record that a message handler receives', async () => {
  const fields = [{ key: 'name', type: 'string' }]
  const hooks = [{ type: 'message', hookType: 'AfterChange', functionName: 'tell' }]
  const steps = [{ key: 'a', actions: [{ key: 'go', kind: 'proceedToStep', to: 'a' }] }]
  const workflow = { initialStep: 'a', steps }
  const entity = { key: 'thing', ownership: true, fields, hooks, workflow }
  const service = await startTestService(
    await writeProject({ 'entities/thing.json': JSON.stringify(entity) }),
  )
  try {
    for (const [method, path, body] of [
      ['POST', '/thing', { name: 'a' }],
      ['PATCH', '/thing/1', { name: 'b' }],
      ['POST', '/thing/1/takeOwnership', undefined],
      ['POST', '/thing/1/proceedToStep', { action: 'go' }],
      ['DELETE', '/thing/1', undefined],
      ['POST', '/thing/1/restore', undefined],
    ] as const) {
      if (path.endsWith('Ownership'))
        await service.database.pool.query('UPDATE records.thing SET _owned_by = NULL')
      const reply = await service.ask(method, path, body && { body })
      assert.ok(reply.status < 300, `${method} ${path} ${reply.text}`)
    }
    const { rows } = await service.database.pool.query<{ operation: string }>(
      `SELECT j.payload ->> 'operation' AS operation FROM graphile_worker._private_jobs j ORDER BY j.id`,
    )
    const [, row = ''] = /^\| `operation` \| (.*?);/m.exec(page) ?? []
    const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    assert.deepEqual(named.sort(), rows.map(({ operation }) => operation).sort())
  } finally {
    await service.stop()
  }
})

test('the page lists every built-in function', () => {
  const [, list = ''] = page.split('## Built in')
  assert.deepEqual(
    [...list.matchAll(/^\| `(native\/[^`]+)`/gm)].map(([, name]) => name),
    [...nativeFunctions.keys()],
  )
})
