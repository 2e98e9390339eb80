/** The worker thread uses the definitions of its service, whatever happened to the files since. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const notifications = [
  {
    operation: 'create',
    recipient: { userFields: ['_created_by'] },
    content: { title: 'As the service has it: {{ record.name }}' },
  },
]
const fields = [{ key: 'name', type: 'string' }]

let service: TestService
before(async () => {
  service = await startTestService(
    await writeProject({ 'entities/thing.json': { key: 'thing', fields, hooks, notifications } }),
  )
})
after(() => service.stop())

const edits: readonly [what: string, edit: (text: string) => string][] = [
  ['has another text', (text) => text.replace('As the service has it', 'Otherwise')],
  [
    'names a field that the database does not have',
    (text) => text.replaceAll(/\bname\b/g, 'label'),
  ],
  ['is invalid', () => '{'],
]
for (const [what, edit] of edits)
  test(`a definition that ${what} after the start does not change what jobs do`, async (t) => {
    const { project } = service
    const file = join(project.directory, 'entities', 'thing.json')
    const text = await readFile(file, 'utf8')
    await writeFile(file, edit(text))
    t.after(() => writeFile(file, text))
    const worker = await startWorkerThread(service.runtime, { watch: false })
    t.after(() => worker.stop())
    assert.equal((await service.ask('POST', '/thing', { body: { name: what } })).status, 201)
    const title = await until('the notification is stored', async () => {
      const [first] = (await service.ask('GET', '/api/notifications?limit=1')).json()
      return first?.content.title.includes(what) && (first.content.title as string)
    })
    assert.equal(title, `As the service has it: ${what}`)
  })
