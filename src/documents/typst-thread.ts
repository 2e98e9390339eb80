/** The thread that prints inside a process of its own (typst-process.ts); one order at a time. */
import { parentPort } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import { TypstCompiler } from './typst-compiler.ts'
import type { PrintEnd, PrintOrder } from './typst-messages.ts'

const compiler = new TypstCompiler()

parentPort?.on('message', (order: PrintOrder) => parentPort?.postMessage(print(order)))

const print = (order: PrintOrder): PrintEnd => {
  try {
    const made = compiler.make(order)
    const residentBytes = process.memoryUsage.rss()
    return 'pdf' in made
      ? { kind: 'printed', ...made, residentBytes }
      : { kind: 'refused', ...made, residentBytes }
  } catch (error) {
    // The engine itself is at fault: what it has in memory is not to be trusted.
    return { kind: 'failed', reason: 'crashed', text: `broke the engine: ${errorText(error)}` }
  }
}
