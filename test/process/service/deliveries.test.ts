/** A worker that is killed while it sends e-mails: no e-mail is lost, and only those that it was sending may be repeated. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import {
  deliveriesOf,
  headersOf,
  makeUsers,
  openSmtp,
  startProject,
  stop,
  untilAll,
  untilDisconnected,
} from '../../support/processes/a-mail-project.ts'

const count = 40

test('a worker killed when the mail server accepts repeats only the e-mails that it was sending', async () => {
  const project = await startProject(makeUsers(count))
  const { pool } = project
  const taken: string[] = []
  // The server accepts nothing before every e-mail is stored.
  const gate = Promise.withResolvers<void>()
  let onAccepted = () => {}
  const { settings } = await openSmtp({
    onData: (stream, _session, done) => {
      const accept = async (message: string) => {
        await gate.promise
        taken.push(message)
        done()
        onAccepted()
      }
      text(stream).then(accept).catch(done)
    },
  })
  const startWorker = () => project.startWorker({ ...settings, EMAILS_AT_ONCE: '8' })
  const { child, ended } = await startWorker()
  await project.notify({ title: 'kill' })
  await untilAll(project, count, 'are there', () => true)
  // Without a collector of traces none is begun.
  const { rows } = await pool.query(`SELECT wished->>'traceparent' AS trace FROM docket.mailing`)
  assert.deepEqual(rows, [{ trace: null }])
  onAccepted = () => {
    if (taken.length === 10) child.kill('SIGKILL')
  }
  gate.resolve()
  assert.equal((await ended).code, null)
  await untilDisconnected(pool)
  const left = await deliveriesOf(pool)
  // Earlier ones have no lease.
  const repeated = left.filter(({ status, wait }) => status === 'sending' && wait > 0)
  assert.ok(repeated.length > 0 && repeated.length < count, `${repeated.length} were being sent`)
  await pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'sending'`)
  const second = await startWorker()
  await untilAll(project, count, 'are sent', ({ status }) => status === 'sent')
  await stop(second)
  const found = taken.map(headersOf)
  for (const { address, tries } of await deliveriesOf(pool)) {
    const received = found.filter(({ to }) => to === address).length
    const most = repeated.some((one) => one.address === address) ? 2 : 1
    assert.equal(tries, most, address)
    assert.ok(received >= 1 && received <= most, `${address} got ${received} of ${most}`)
  }
  assert.equal(new Set(found.map(({ to, id }) => `${to} ${id}`)).size, count)
})
