/**
 * What an upload costs: a file of 1 GiB (the rows are its MiB), compared with `cp` and `sha256sum` of the same file, which read and write it as often; and what others
 * notice of four uploads at the same time; and thumbnails.
 */
import { spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Environment, Service } from './environment.ts'
import { byTurns, median, rangeOf, sampler, timed } from './figures.ts'
import { load } from './load.ts'
import { watchMemory } from './memory.ts'
import { aimOf, note, type Row, type Table } from './report.ts'
import { benchThumbnails } from './thumbnails.ts'

const mebibyte = 1_048_576

const writeRandom = async (path: string, mebibytes: number): Promise<void> => {
  const file = await open(path, 'w')
  const piece = Buffer.alloc(mebibyte)
  for (let count = 0; count < mebibytes; count++) await file.write(randomFillSync(piece))
  await file.sync()
  await file.close()
}

const upload = async (service: Service, path: string): Promise<void> => {
  const { size } = await stat(path)
  const sent = request(`${service.url}/api/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${service.token}`,
      'Content-Disposition': 'attachment; filename="file.bin"',
      'Content-Type': 'application/octet-stream',
      'Content-Length': size,
    },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  // What is refused is answered before it is read.
  await pipeline(createReadStream(path, { highWaterMark: mebibyte }), sent).catch(() => undefined)
  const [answer] = await answered
  const body = await text(answer)
  if (answer.statusCode !== 201) throw new Error(`${answer.statusCode}: ${body}`)
}

/** As a person would do it by hand. */
const copyAndHash = async (path: string): Promise<void> => {
  const script = 'cp "$1" "$1.copy" && sha256sum "$1.copy" > /dev/null && rm "$1.copy"'
  const [code] = await once(spawn('sh', ['-c', script, 'sh', path]), 'exit')
  if (code !== 0) throw new Error(`cp and sha256sum ended with ${code}.`)
}

const gets = {
  request: () => ({ path: '/product?limit=1', method: 'GET' }) as const,
  ms: 10_000,
  perSecond: 50,
}

/** The p99 of small reads beside so many uploads, one after the other on each connection. */
const p99Beside = async (service: Service, path: string, uploads: number): Promise<number> => {
  let isOver = false
  const sending = Array.from({ length: uploads }, async () => {
    while (!isOver) await upload(service, path)
  })
  const { p99 } = await load(service, gets)
  isOver = true
  await Promise.all(sending)
  return p99
}

export const benchFiles = async (
  { project, startService }: Environment,
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
  const ours = sampler(() => timed(() => upload(service, large)))
  const theirs = sampler(() => timed(() => copyAndHash(large)))
  await byTurns([ours, theirs])
  note('Beside …\n')
  const alone = sampler(() => p99Beside(service, small, 0))
  const beside = sampler(() => p99Beside(service, small, 4))
  await byTurns([alone, beside])
  const thumbnails = await benchThumbnails({ project }, service)
  const ratio = (
    what: string,
    value: number,
    aim: Parameters<typeof aimOf>[1],
    range = '',
  ): Row => ({
    what,
    value,
    range,
    ...aimOf(value, aim),
  })
  return [
    {
      title: 'Milliseconds',
      rows: [
        {
          what: 'upload',
          ms: median(ours.samples),
          'MiB/s': (mebibytes / median(ours.samples)) * 1000,
        },
        {
          what: 'cp and sha256sum',
          ms: median(theirs.samples),
          'MiB/s': (mebibytes / median(theirs.samples)) * 1000,
        },
        { what: 'p99 of GET alone', ms: median(alone.samples) },
        { what: 'p99 of GET beside four uploads', ms: median(beside.samples) },
      ],
    },
    {
      title: 'Ratios',
      rows: [
        ratio(
          'upload: speed of cp and sha256sum = 1',
          median(theirs.samples) / median(ours.samples),
          { least: 0.8 },
          rangeOf(theirs.samples, ours.samples),
        ),
        ratio(
          'p99 of GET beside four uploads',
          median(beside.samples) / median(alone.samples),
          { most: 1.5 },
          rangeOf(beside.samples, alone.samples),
        ),
        ratio('memory of the service, MiB more', growth, { most: 20 }),
        ...thumbnails,
      ],
    },
  ]
}
