/** What a thumbnail costs: of photographs of 12 megapixels, each of which is asked for once, compared with `vipsthumbnail` of the same file. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Environment, Service } from '../environment.ts'
import { byTurns, median, rangeOf, sampler, timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { runProgram } from '../programs.ts'
import { aimOf, note, type Row } from '../report.ts'

const rounds = 9

/** A picture with as many details as one of a camera. */
const makePhoto = (): Promise<Buffer> => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  return sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#808080', noise } })
    .blur(1.5)
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** A record with the picture, and another hash each time; returns the path of its thumbnail. */
const addPhoto = async ({ url, token }: Service, photo: Buffer): Promise<string> => {
  const answer = await fetch(`${url}/api/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="photo.jpg"',
    },
    // What follows the end of a JPEG is no part of the picture.
    body: Buffer.concat([photo, randomBytes(16)]),
  })
  const { upload } = (await answer.json()) as { upload: string }
  const body = { title: 'Photo', picture: upload }
  const send = openClient({ url, token })
  const sent = await send({ method: 'POST', path: '/photo', body })
  const { id, picture } = JSON.parse(sent.toString())
  return `/photo/${id}/file/${picture.id}?size=160`
}

/** The ratio; none where `vipsthumbnail` is not installed. */
export const benchThumbnails = async (
  { project }: Pick<Environment, 'project'>,
  service: Service,
): Promise<readonly Row[]> => {
  note('Thumbnails …\n')
  const photo = await makePhoto()
  const file = join(project, 'photo.jpg')
  await writeFile(file, photo)
  const options = ['--size', '160', '-o', join(project, 'small.webp[Q=75,effort=2,strip]'), file]
  const makeTheirs = () => runProgram('vipsthumbnail', options)
  const first = await makeTheirs().catch(() => undefined)
  if (!first) {
    note(
      'vipsthumbnail is not installed (Debian: libvips-tools), so thumbnails are not compared.\n',
    )
    return []
  }
  const send = openClient(service)
  const ours = sampler(async () => {
    const path = await addPhoto(service, photo)
    return timed(() => send({ path }))
  })
  const theirs = sampler(() => timed(makeTheirs))
  await byTurns([ours, theirs], { rounds, warmUps: 2 })
  const value = median(ours.samples) / median(theirs.samples)
  return [
    {
      what: `thumbnail of ${photo.length} bytes, ${Math.round(median(ours.samples))} ms: time of vipsthumbnail = 1`,
      value,
      range: rangeOf(ours.samples, theirs.samples),
      ...aimOf(value, { most: 1.2 }),
    },
  ]
}
