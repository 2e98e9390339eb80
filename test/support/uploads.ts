/** Files that tests send, and what they contain. */
import assert from 'node:assert/strict'
import { receive } from './send.ts'
import type { TestService } from './service.ts'

/** A picture of 1 by 1 pixels, with bytes after its end that do not matter to it. */
export const pngOf = (more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(more),
  ])

/** Sends a file as a user, by default the administrator, and returns the id of the upload. */
export const uploadFile = async (
  service: Pick<TestService, 'url' | 'tokenOf'>,
  filename: string,
  bytes: string | Buffer,
  as?: string,
): Promise<string> => {
  const answer = await receive('POST', `${service.url}/api/uploads`, {
    headers: {
      Authorization: `Bearer ${await service.tokenOf(as)}`,
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
    },
    body: bytes,
  })
  const text = answer.bytes.toString()
  assert.equal(answer.status, 201, text)
  return JSON.parse(text).upload
}

/** What a user gets at a path, as bytes. */
export const download = async (
  service: Pick<TestService, 'url' | 'tokenOf'>,
  path: string,
  {
    as,
    method = 'GET',
    headers = {},
  }: {
    readonly as?: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
  } = {},
) =>
  receive(method, `${service.url}${path}`, {
    headers: { Authorization: `Bearer ${await service.tokenOf(as)}`, ...headers },
  })
