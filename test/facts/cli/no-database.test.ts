/** Commands that only read do not create a missing database, and report it. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { writeProject } from '../../support/service.ts'

const entity = { key: 'thing', displayField: 'name', fields: [{ key: 'name', type: 'string' }] }

for (const args of [['backup'], ['database-url'], ['database-url', '--keep-up'], ['deliveries']])
  test(`"docket ${args.join(' ')}" creates no database`, async () => {
    const project = await writeProject({ 'entities/thing.json': entity })
    const { code, err } = await callDocket([...args, '--project', project])
    assert.equal(code, 1, err)
    assert.match(err, /has no database yet.*--project/)
    assert.deepEqual(await readdir(project), ['entities'])
  })
