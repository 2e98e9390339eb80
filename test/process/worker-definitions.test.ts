/** The thread of the worker works by the definitions of its service, whatever became of the files since. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startWorkerThread } from '../../src/runtime/start-worker-thread.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

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
  ['says something else', (text) => text.replace('As the service has it', 'Otherwise')],
  ['names a field that the database has not', (text) => text.replaceAll(/\bname\b/g, 'label')],
  ['has a fault', () => '{'],
]
for (const [what, edit] of edits)
  test(`a file that ${what} by now changes nothing of what its jobs do`, async (t) => {
    const { project } = service
    const file = join(project.directory, 'entities', 'thing.json')
    const text = await readFile(file, 'utf8')
    await writeFile(file, edit(text))
    t.after(() => writeFile(file, text))
    const worker = await startWorkerThread(service.runtime, { watch: false })
    t.after(() => worker.stop())
    assert.equal((await service.ask('POST', '/thing', { body: { name: what } })).status, 201)
    const title = await until('it is told', async () => {
      const [first] = (await service.ask('GET', '/api/notifications?limit=1')).json()
      return first?.content.title.includes(what) && (first.content.title as string)
    })
    assert.equal(title, `As the service has it: ${what}`)
  })
