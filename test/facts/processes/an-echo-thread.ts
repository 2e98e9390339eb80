/** A thread that answers with its request, or does what the request says. */
import { parentPort } from 'node:worker_threads'
import type { ThreadMessage, ThreadRequest } from '../../../src/processes/worker-messages.ts'

parentPort?.on('message', ({ request, port }: ThreadRequest<string>) => {
  if (request === 'never') return
  if (request === 'exit') process.exit(3)
  if (request === 'throw') throw new Error('broken')
  const end: ThreadMessage<never, string> = { kind: 'ended', result: request, isReusable: true }
  port.postMessage(end)
})
