/**
 * What files cost: an upload of 1 GiB (the rows are its MiB), compared with `cp` and `sha256sum` of the same file; a download, compared
 * with a bare stream; what others notice of four uploads at the same time; and thumbnails.
 */
import { spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Environment, Service } from '../environment.ts'
import { byTurns, median, rangeOf, sampler, timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { load } from '../load.ts'
import { watchMemory } from '../memory.ts'
import { aimOf, note, type Row, type Table } from '../report.ts'
import { benchThumbnails } from './thumbnails.ts'
import { download, upload } from './transfers.ts'
import type { UploadSettings } from './upload-thread.ts'

const mebibyte = 1_048_576

const writeRandom = async (path: string, mebibytes: number): Promise<void> => {
  const file = await open(path, 'w')
  const piece = Buffer.alloc(mebibyte)
  for (let count = 0; count < mebibytes; count++) await file.write(randomFillSync(piece))
  await file.sync()
  await file.close()
}

/** As a person would do it by hand. */
const copyAndHash = async (path: string): Promise<void> => {
  const script = 'cp "$1" "$1.copy" && sha256sum "$1.copy" > /dev/null && rm "$1.copy"'
  const [code] = await once(spawn('sh', ['-c', script, 'sh', path]), 'exit')
  if (code !== 0) throw new Error(`cp and sha256sum ended with ${code}.`)
}

/** The path of the file in a record. */
const keep = async (service: Service, id: string): Promise<string> => {
  const body = { title: 'Large', picture: id }
  const sent = await openClient(service)({ method: 'POST', path: '/photo', body })
  const { id: record, picture } = JSON.parse(sent.toString())
  return `/photo/${record}/file/${picture.id}`
}

const gets = {
  request: () => ({ path: '/product?limit=1', method: 'GET' }) as const,
  ms: 10_000,
  perSecond: 50,
}

/** The p99 of small reads. */
const p99Of = async (service: Service): Promise<number> => (await load(service, gets)).p99

/** The same while so many files are uploaded, one after the other on each connection. */
const p99Beside = async (
  { url, token }: Service,
  path: string,
  measure: () => Promise<number>,
): Promise<number> => {
  const workerData: UploadSettings = { service: { url, token }, path, atOnce: 4 }
  const sending = new Worker(new URL('./upload-thread.ts', import.meta.url), { workerData })
  const ended = once(sending, 'exit')
  await once(sending, 'online')
  const p99 = await measure()
  sending.postMessage('stop')
  await ended
  return p99
}

export const benchFiles = async (
  { project, startService, startPeer }: Environment,
  mebibytes: number,
): Promise<Table[]> => {
  const [large, small] = [join(project, 'large.bin'), join(project, 'small.bin')]
  note('Writing the files …\n')
  await writeRandom(large, mebibytes)
  await writeRandom(small, 50)
  const service = await startService([], {
    FILES_MAX_BYTES: String(2 * mebibytes * mebibyte),
    FILES_USER_BYTES: '1000000000000',
    FILES_TOTAL_BYTES: '1000000000000',
    BODY_TIMEOUT_SECONDS: '3600',
  })
  note('Uploads …\n')
  // Modules are loaded with the first one.
  await upload(service, small)
  const { growth = Number.NaN } = await watchMemory(service.pid, () => upload(service, large))
  const sending = sampler(() => timed(() => upload(service, large)))
  const copying = sampler(() => timed(() => copyAndHash(large)))
  await byTurns([sending, copying])
  note('Downloads …\n')
  const bare = await startPeer(new URL('./bare-file-server.ts', import.meta.url), { FILE: large })
  const path = await keep(service, await upload(service, large))
  const reading = sampler(() => timed(() => download(service, path)))
  const streaming = sampler(() => timed(() => download(bare, '/')))
  await byTurns([reading, streaming])
  note('Beside …\n')
  const alone = sampler(() => p99Of(service))
  const beside = sampler(() => p99Beside(service, small, () => p99Of(service)))
  await byTurns([alone, beside])
  const thumbnails = await benchThumbnails({ project }, service)
  return [
    {
      title: 'Milliseconds',
      rows: [
        speedOf('upload', sending.samples, mebibytes),
        speedOf('cp and sha256sum', copying.samples, mebibytes),
        speedOf('download', reading.samples, mebibytes),
        speedOf('bare stream', streaming.samples, mebibytes),
        { what: 'p99 of GET alone', ms: median(alone.samples) },
        { what: 'p99 of GET beside four uploads', ms: median(beside.samples) },
      ],
    },
    {
      title: 'Ratios',
      rows: [
        ratioOf('upload: speed of cp and sha256sum = 1', copying.samples, sending.samples, {
          least: 0.8,
        }),
        ratioOf('download: speed of a bare stream = 1', streaming.samples, reading.samples, {
          least: 0.8,
        }),
        ratioOf('p99 of GET beside four uploads', beside.samples, alone.samples, { most: 1.5 }),
        { what: 'memory of the service, MiB more', value: growth, ...aimOf(growth, { most: 20 }) },
        ...thumbnails,
      ],
    },
  ]
}

const speedOf = (what: string, samples: readonly number[], mebibytes: number): Row => ({
  what,
  ms: median(samples),
  'MiB/s': (mebibytes / median(samples)) * 1000,
})

const ratioOf = (
  what: string,
  ours: readonly number[],
  theirs: readonly number[],
  aim: Parameters<typeof aimOf>[1],
): Row => {
  const value = median(ours) / median(theirs)
  return { what, value, range: rangeOf(ours, theirs), ...aimOf(value, aim) }
}
