/**
 * A sample of the hostile corpus, one row for each kind of limit: every response has an allowed status and size, and
 * another caller is answered meanwhile. `npm run test:long -- corpus` sends all rows and measures the service.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { fillHostile, hostileFiles, users } from '../../support/hostile/a-hostile-project.ts'
import { type Ask, sendRow } from '../../support/hostile/a-row.ts'
import { corpus, sampledNames } from '../../support/hostile/corpus.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService(hostileFiles)
after(() => service.stop())
const ask: Ask = (user, method, path, body, credential) =>
  service.ask(method, path, {
    ...(user !== 'admin' && { as: user && `${user}@example.com` }),
    ...(body !== undefined && { body }),
    ...(credential !== undefined && { headers: { Authorization: `Bearer ${credential}` } }),
  })

const { pool } = service.database
for (const [name, role_key] of Object.entries(users)) await insertPerson(pool, name, role_key)
await fillHostile(ask, pool)

for (const name of sampledNames)
  test(`the answers are bounded, and others are answered: ${name}`, async () => {
    const row = corpus.find((one) => one.name === name)
    assert.ok(row, 'The corpus has no such row.')
    let isSent = false
    const sending = sendRow(ask, row).finally(() => {
      isSent = true
    })
    const askOften = async () => {
      for (let times = 0; times === 0 || (times < 10 && !isSent); times++) {
        const { status, text } = await ask('monitor', 'GET', '/client/1')
        assert.equal(status, 200, text)
      }
    }
    await Promise.all([sending, askOften()])
  })
