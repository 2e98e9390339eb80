/** Files that are sent before a record uses them. */
import type { UploadAnswer } from '../../src/uploads/section.ts'
import { open, request } from './client.ts'

/** The headers of an answer. */
const headersOf = (answered: XMLHttpRequest): Headers => {
  const lines = answered.getAllResponseHeaders().matchAll(/^([^:\r\n]+): *(.*?)\r?$/gm)
  return new Headers([...lines].map(([, name = '', value = '']) => [name, value]))
}

/**
 * `fetch` that reports how many bytes of a file are sent. No browser reports it of `fetch` itself, and few take a stream as a body, whose
 * pieces a page could count: XMLHttpRequest reports it everywhere.
 */
const fetchTelling =
  (onSent: (bytes: number) => void): typeof fetch =>
  (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest()
      sending.open(method, String(url))
      for (const [name, value] of new Headers(headers)) sending.setRequestHeader(name, value)
      sending.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
      sending.addEventListener('load', () => {
        const { status, responseText } = sending
        resolve(new Response(responseText || null, { status, headers: headersOf(sending) }))
      })
      sending.addEventListener('error', () => reject(new TypeError('There is no answer.')))
      sending.addEventListener('abort', () => reject(signal?.reason))
      signal?.addEventListener('abort', () => sending.abort())
      sending.send(body as Blob)
    })

type SendOptions = {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

/** Sends a file; a name has other characters than a header may have. */
export const sendUpload = async (
  file: File,
  { signal, onSent }: SendOptions,
): Promise<UploadAnswer> => {
  const name = encodeURIComponent(file.name.toWellFormed()).replaceAll("'", '%27')
  const response = await open('/api/uploads', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
    },
    body: file,
    signal,
    by: fetchTelling(onSent),
  })
  return response.json() as Promise<UploadAnswer>
}

/** Removes one that no record uses. If that fails, the service does it after a day. */
export const removeUpload = (upload: string): Promise<unknown> =>
  request(`/api/uploads/${encodeURIComponent(upload)}`, { method: 'DELETE' }).catch(() => undefined)
