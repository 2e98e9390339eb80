/** Makes thumbnails, one at a time, in the thread of a worker process (processes/worker-program.ts). */
import { parentPort } from 'node:worker_threads'
import { errorText } from '../../errors.ts'
import { createRpcClient } from '../../processes/rpc.ts'
import type { ThreadMessage, ThreadRequest } from '../../processes/worker-messages.ts'
import { loadSharp } from './load-sharp.ts'
import type { MadeThumbnail, ThumbnailRequest } from './thumbnail-maker.ts'

// The picture of a good camera has half of it; a head may claim billions.
const maxPixels = 50_000_000
// The memory of a large picture is not fully released.
const maxIdleBytes = 256 * 1_048_576

type Message = ThreadMessage<never, MadeThumbnail>

const loading = loadSharp()

parentPort?.on('message', ({ request, port }: ThreadRequest<ThumbnailRequest>) => {
  void make(request, port).then((result) => {
    const isReusable = process.memoryUsage.rss() <= maxIdleBytes
    port.postMessage({ kind: 'ended', result, isReusable } satisfies Message)
  })
})

const make = async (
  { sha256, size, timeoutMs }: ThumbnailRequest,
  port: ThreadRequest<unknown>['port'],
): Promise<MadeThumbnail> => {
  const sharp = await loading
  if (!sharp) return { missing: 'library' }
  const read = createRpcClient(port).call('read', [sha256])
  const bytes = await read.catch((error: unknown) => ({ unread: errorText(error) }))
  if (typeof bytes === 'string' || 'unread' in bytes)
    return { missing: 'bytes', text: String(typeof bytes === 'string' ? bytes : bytes.unread) }
  port.postMessage({ kind: 'started', timeoutMs } satisfies Message)
  try {
    // The first frame alone; turned as its camera says, in the colours of screens, and without the other data of the file.
    const image = await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 75, effort: 2 })
      .toBuffer()
    return { image }
  } catch (error) {
    return { fault: faultOf(errorText(error)) }
  }
}

const faultOf = (text: string): string =>
  text.includes('pixel limit')
    ? `it has more than ${maxPixels} pixels`
    : 'it cannot be decoded: it is damaged, or of a kind that is not known'
