/**
 * Lets several threads render with one engine: the thread that owns it serves a channel, another one
 * renders through its end. Templates are sent when they have changed.
 */
import type { MessagePort } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import {
  type PdfEngine,
  RenderError,
  type RenderErrorReason,
  type Rendered,
  type Template,
  type TemplateData,
  type TemplateFiles,
} from './typst/engine.ts'

type Call = {
  readonly id: number
  readonly template: Omit<Template, 'files'>
  /** Undefined: those of the last call. */
  readonly files: TemplateFiles | undefined
  readonly data: TemplateData
}

type Answer =
  | { readonly id: number; readonly rendered: Rendered }
  | { readonly id: number; readonly reason: RenderErrorReason; readonly text: string }

/** Answers calls until the other end is closed. */
export const serveEngine = (engine: PdfEngine, port: MessagePort): void => {
  let current: TemplateFiles = new Map()
  const answerTo = async ({ id, template, files = current, data }: Call): Promise<Answer> => {
    current = files
    try {
      return { id, rendered: await engine.render({ ...template, files }, data) }
    } catch (error) {
      const reason = error instanceof RenderError ? error.reason : 'crashed'
      return { id, reason, text: errorText(error) }
    }
  }
  port.on('message', async (call: Call) => port.postMessage(await answerTo(call)))
}

/** The engine behind the channel; closing it ends the channel, not the engine. */
export const connectEngine = (port: MessagePort): PdfEngine => {
  const pending = new Map<number, PromiseWithResolvers<Rendered>>()
  let sent: TemplateFiles | undefined
  let lastId = 0
  port.on('message', (answer: Answer) => {
    const call = pending.get(answer.id)
    pending.delete(answer.id)
    if ('rendered' in answer) call?.resolve(answer.rendered)
    else call?.reject(new RenderError(answer.reason, answer.text))
  })
  port.on('close', () => {
    for (const call of pending.values())
      call.reject(new RenderError('stopped', 'was cancelled because the service stops'))
  })
  return {
    render: ({ files, ...template }, data) => {
      lastId += 1
      const call = Promise.withResolvers<Rendered>()
      pending.set(lastId, call)
      const changed = files === sent ? undefined : files
      port.postMessage({ id: lastId, template, files: changed, data } satisfies Call)
      sent = files
      return call.promise
    },
    close: async () => port.close(),
  }
}
