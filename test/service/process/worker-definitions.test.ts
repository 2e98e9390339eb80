/** The worker thread uses the definitions of its service, whatever happened to the files since. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { afterwards } from '../../support/afterwards.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

test('a definition that is invalid after the start does not change what jobs do', async () => {
  const thing = {
    key: 'thing',
    fields: [{ key: 'name', type: 'string' }],
    hooks,
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['_created_by'] },
        content: { title: 'As the service has it: {{ record.name }}' },
      },
    ],
  }
  const service = await startTestService({ 'entities/thing.json': thing })
  await writeFile(join(service.project.directory, 'entities/thing.json'), '{')
  const worker = await startWorkerThread(service.runtime, { watch: false })
  afterwards(() => worker.stop())
  assert.equal((await service.ask('POST', '/thing', { body: { name: 'x' } })).status, 201)
  const [first] = await until('the notification is stored', async () => {
    const all = (await service.ask('GET', '/api/notifications?limit=1')).json()
    return all.length > 0 && all
  })
  assert.equal(first.content.title, 'As the service has it: x')
})
