/** Workers that are killed while they send e-mails: no e-mail is lost, and only those that they were sending are repeated. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import {
  deliveriesOf,
  headersOf,
  makeUsers,
  openSmtp,
  startProject,
  stop,
  untilAll,
  untilDisconnected,
} from './a-mail-project.ts'

/** Sends so many e-mails, and kills a worker so many times when the mail server has accepted ten more. */
export const killWhileSending = async (count: number, kills: number): Promise<void> => {
  const project = await startProject(makeUsers(count))
  const { pool } = project
  const taken: string[] = []
  // The server accepts nothing before every e-mail is stored, and the next kill is prepared.
  let gate = Promise.withResolvers<void>()
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
  let worker = await startWorker()
  await project.notify({ title: 'kill' })
  await untilAll(project, count, 'are there', () => true)
  // Without a collector of traces none is begun.
  const { rows } = await pool.query(`SELECT wished->>'traceparent' AS trace FROM docket.mailing`)
  assert.deepEqual(rows, [{ trace: null }])
  const repeated: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended } = worker
    const killAt = taken.length + 10
    onAccepted = () => {
      if (taken.length !== killAt) return
      // At the moment of acceptance, or while it is being recorded.
      if (kill % 2 === 0) child.kill('SIGKILL')
      else setTimeout(() => child.kill('SIGKILL'), kill)
    }
    gate.resolve()
    assert.equal((await ended).code, null)
    gate = Promise.withResolvers()
    await untilDisconnected(pool)
    const left = (await deliveriesOf(pool)).filter(({ status }) => status === 'sending')
    // Earlier ones have no lease.
    const leased = left.flatMap(({ address, wait }) => (wait > 0 ? address : []))
    assert.ok(leased.length < count, `${leased.length} were being sent`)
    repeated.push(...leased)
    await pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'sending'`)
    worker = await startWorker()
  }
  gate.resolve()
  await untilAll(project, count, 'are sent', ({ status }) => status === 'sent')
  await stop(worker)
  assert.ok(repeated.length > 0, 'no kill has hit an acceptance')
  const found = taken.map(headersOf)
  for (const { address, tries } of await deliveriesOf(pool)) {
    const received = found.filter(({ to }) => to === address).length
    const most = 1 + repeated.filter((to) => to === address).length
    assert.equal(tries, most, address)
    assert.ok(received >= 1 && received <= most, `${address} got ${received} of ${most}`)
  }
  assert.equal(new Set(found.map(({ to, id }) => `${to} ${id}`)).size, count)
}
