/** One upload and one download of a large file, as clients send and read them. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Target } from '../http-client.ts'

const mebibyte = 1_048_576

/** Returns the id of the upload. */
export const upload = async ({ url, token }: Target, path: string): Promise<string> => {
  const { size } = await stat(path)
  const sent = request(`${url}/api/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
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
  return JSON.parse(body).upload
}

/** Reads all bytes of an answer, and keeps none. */
export const download = async ({ url, token }: Target, path: string): Promise<void> => {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const [answer] = (await once(get(`${url}${path}`, { headers }), 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  if (answer.statusCode !== 200 || bytes !== Number(answer.headers['content-length']))
    throw new Error(`GET ${path} was answered ${answer.statusCode} with ${bytes} bytes.`)
}
