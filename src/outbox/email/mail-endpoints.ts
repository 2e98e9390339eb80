/** The e-mails that the provider `file` has written, for administrators during development. */
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apiError } from '../../errors.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { integer, text } from '../../http/endpoint/parameters.ts'
import {
  dataOf,
  json,
  media,
  objectOf,
  textOrNull,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { sendFramed } from './framed-html.ts'

export type MailDeps = {
  /** Their folder; undefined with another provider. */
  readonly mailFolder: string | undefined
}

const common = {
  tag: 'E-mail',
  who: 'administrator',
  method: 'get',
  errors: ['request.no-such-path'],
} as const

const heading = { address: { type: 'string' }, subject: textOrNull } as const

const mail = objectOf({
  name: { type: 'string' },
  ...heading,
  size: { type: 'integer' },
  at: time,
})
export type MailFile = ValueOf<typeof mail>

const name = text('As it is in the list.', { isRequired: true })

const message = objectOf({
  ...heading,
  headers: { type: 'object', additionalProperties: { type: 'string' } },
  text: { type: 'string' },
  html: textOrNull,
  attachments: {
    type: 'array',
    items: objectOf({
      filename: { type: 'string' },
      mimetype: { type: 'string' },
      size: { type: 'integer' },
    }),
  },
})

/** /api/mail. */
export const mailEndpoints = [
  endpoint({
    ...common,
    path: '/api/mail',
    id: 'listMail',
    summary: 'E-mails that were caught instead of sent',
    description: 'For administrators, with `EMAIL_PROVIDER=file`; the newest first.',
    query: {
      limit: integer({ min: 1, max: 1000, default: 1000, description: 'At most so many.' }),
    },
    answers: { 200: json('Their files, recipients and subjects.', dataOf(mail)) },
    handle: async ({ query }, deps: MailDeps) => {
      const folder = folderOf(deps)
      const names = (await listMail(folder)).slice(0, query.limit)
      const described = await Promise.all(names.map((name) => describe(folder, name)))
      return { data: described.filter((one) => one !== undefined) }
    },
  }),
  endpoint({
    ...common,
    path: '/api/mail/{name}',
    id: 'readMail',
    summary: 'One of them, as it would be sent',
    params: { name },
    answers: { 200: media('RFC 5322.', 'message/rfc822') },
    handle: async ({ params, reply }, deps: MailDeps) =>
      reply.type('message/rfc822').send(await readFound(deps, params.name)),
  }),
  endpoint({
    ...common,
    path: '/api/mail/{name}/message',
    id: 'readMailMessage',
    summary: 'What one of them says',
    params: { name },
    errors: [...common.errors, 'delivery.not-composed'],
    answers: { 200: json('The message.', message) },
    handle: async ({ params }, deps: MailDeps) => readMail(await readFound(deps, params.name)),
  }),
  endpoint({
    ...common,
    path: '/api/mail/{name}/message.html',
    id: 'readMailHtml',
    summary: 'The HTML of one of them, for a frame',
    description: 'It runs no scripts and loads nothing from elsewhere.',
    params: { name },
    errors: [...common.errors, 'delivery.not-composed'],
    answers: { 200: media('The HTML of the message.', 'text/html') },
    handle: async ({ params, reply }, deps: MailDeps) => {
      const { html } = await readMail(await readFound(deps, params.name))
      if (html === null) throw apiError('delivery.not-composed', 'Its message has no HTML.')
      return sendFramed(reply, html)
    },
  }),
]

/** The file of a listed e-mail: a name is never used as a path. */
const readFound = async (deps: MailDeps, wanted = ''): Promise<Buffer> => {
  const folder = folderOf(deps)
  const isListed = (await listMail(folder)).includes(wanted)
  const content = isListed && (await unlessGone(readFile(join(folder, wanted))))
  if (!content) throw apiError('request.no-such-path', 'There is no such e-mail.')
  return content
}

const folderOf = ({ mailFolder }: MailDeps): string => {
  if (mailFolder === undefined)
    throw apiError('request.no-such-path', 'E-mails are sent here, not caught (EMAIL_PROVIDER).')
  return mailFolder
}

/** The newest first; names begin with the time. */
const listMail = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .sort()
    .reverse()
}

// The headers that a list needs are among the first.
const maxHeadBytes = 16_384

/** What a list says of an e-mail: only its headers are read and decoded. */
const describe = async (folder: string, name: string) => {
  const file = await unlessGone(open(join(folder, name)))
  if (!file) return undefined
  try {
    const { size, mtime } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
    const [head = ''] = buffer.toString('latin1', 0, bytesRead).split(/\r?\n\r?\n/, 1)
    const { address, subject } = await readMail(Buffer.from(head, 'latin1'))
    return { name, address, subject, size, at: mtime.toISOString() }
  } finally {
    await file.close()
  }
}

/** Files may be deleted by hand while the folder is read. */
const unlessGone = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** The parts of an e-mail, without the bytes of its attachments. */
export type CaughtMail = {
  readonly address: string
  readonly subject: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string | null
  readonly attachments: readonly {
    readonly filename: string
    readonly mimetype: string
    readonly size: number
  }[]
}

// Decoding more would delay other requests of this thread.
const maxBytes = 8 * 1_048_576

const readMail = async (content: Buffer): Promise<CaughtMail> => {
  if (content.length > maxBytes)
    throw apiError('delivery.not-composed', 'The e-mail is longer than 8 MiB. Read its file.')
  // Only the page of caught e-mails needs the parser.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(content)
  const headers = mail.headers.map(({ originalKey, value }) => [originalKey, value] as const)
  return {
    address: mail.to?.[0]?.address ?? '',
    subject: mail.subject ?? null,
    headers: Object.fromEntries(headers),
    text: mail.text ?? '',
    html: mail.html ?? null,
    attachments: mail.attachments.map(({ filename, mimeType, content: body }) => ({
      filename: filename ?? '',
      mimetype: mimeType,
      size: typeof body === 'string' ? body.length : body.byteLength,
    })),
  }
}
