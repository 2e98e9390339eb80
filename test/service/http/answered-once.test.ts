/** A request is answered once, also when its client leaves while hooks still prepare the answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { mountPath } from '../../../src/http/endpoint/mount-path.ts'
import { unlimited } from '../../../src/http/limits/server-limits.ts'
import { createServer } from '../../../src/http/server.ts'
import { afterwards } from '../../support/afterwards.ts'
import { until } from '../../support/wait.ts'

for (const [what, answer] of [
  ['sends it', 'sent'],
  ['returns nothing', undefined],
] as const)
  test(`a client leaves before the answer of a handler that ${what}`, async () => {
    const kinds: string[] = []
    const server = createServer({
      basePath: '',
      bodyLimit: 1000,
      observe: ({ kind }) => kinds.push(kind),
      authenticate: async () => ({
        userId: 1,
        actingUser: null,
        roleKey: 'administrator',
        fullName: 'Anna',
        email: 'anna@example.com',
      }),
      mount: (scope) =>
        mountPath(scope, { method: 'post', path: '/act' }, async (_request, reply) =>
          answer === undefined ? undefined : reply.send(answer),
        ),
    })
    const prepared = Promise.withResolvers<void>()
    let [begun, isClosed] = [0, false]
    server.addHook('onSend', async (_request, reply) => {
      begun += 1
      reply.raw.once('close', () => {
        isClosed = true
      })
      await prepared.promise
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    afterwards(() => server.close())
    const { port } = server.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')
    await until('the answer is prepared', () => begun === 1)
    socket.destroy()
    await until('the answer is closed', () => isClosed)
    prepared.resolve()
    // Nobody is told of an answer that was not sent; the next request on another connection is.
    const { status } = await fetch(`http://127.0.0.1:${port}/act`, { method: 'POST' })
    assert.equal(status, answer === undefined ? 204 : 200)
    await until('the second request has ended', () => kinds.includes('requestAnswered'))
    assert.equal(begun, 2)
    assert.deepEqual(kinds, ['requestAnswered'])
  })

test('a body may take longer than the five minutes that Node.js allows by default', async () => {
  const limits = { ...unlimited, bodyTimeoutMs: 3_600_000 }
  const server = createServer({
    basePath: '',
    bodyLimit: 1000,
    observe: () => undefined,
    mount: () => undefined,
    limits,
  })
  afterwards(() => server.close())
  await server.ready()
  assert.equal(server.server.requestTimeout, limits.bodyTimeoutMs)
})
