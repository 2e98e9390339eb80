/** The rendering thread in a worker process (processes/worker-program.ts). */
import { parentPort } from 'node:worker_threads'
import { errorText } from '../../errors.ts'
import type { ThreadMessage, ThreadRequest } from '../../processes/worker-messages.ts'
import { TypstCompiler } from './typst-compiler.ts'
import type { RenderRequest, RenderResult } from './typst-messages.ts'

type Message = ThreadMessage<never, RenderResult>

// A long document's memory is not fully released.
const maxIdleBytes = 512 * 1_048_576

const compiler = new TypstCompiler()

parentPort?.on('message', ({ request, port }: ThreadRequest<RenderRequest>) => {
  const started: Message = { kind: 'started', timeoutMs: request.timeoutMs }
  port.postMessage(started)
  port.postMessage(render(request))
  compiler.tidy()
})

const render = (request: RenderRequest): Message => {
  try {
    const result = compiler.make(request)
    return { kind: 'ended', result, isReusable: process.memoryUsage.rss() <= maxIdleBytes }
  } catch (error) {
    // The engine itself failed: do not reuse its memory.
    const text = `crashed the engine: ${errorText(error)}`
    return { kind: 'ended', result: { failure: { reason: 'crashed', text } }, isReusable: false }
  }
}
