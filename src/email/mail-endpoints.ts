/** The e-mails that the provider `file` has written, for administrators during development. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { apiError } from '../errors.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { text } from '../http/endpoint/parameters.ts'
import { json, media } from '../http/openapi/operation.ts'

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

const mails = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          size: { type: 'integer' },
          at: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
}

/** /api/mail. */
export const mailEndpoints = [
  endpoint({
    ...common,
    path: '/api/mail',
    id: 'listMail',
    summary: 'E-mails that were caught instead of sent',
    description: 'For administrators, with `EMAIL_PROVIDER=file`; the newest first.',
    answers: { 200: json('Names of files.', mails) },
    handle: async (_call, deps: MailDeps) => {
      const folder = folderOf(deps)
      const names = await listMail(folder)
      const described = await Promise.all(names.map((name) => describe(folder, name)))
      return { data: described.filter((one) => one !== undefined) }
    },
  }),
  endpoint({
    ...common,
    path: '/api/mail/{name}',
    id: 'readMail',
    summary: 'One of them, as it would be sent',
    params: { name: text('As it is in the list.', { isRequired: true }) },
    answers: { 200: media('RFC 5322.', 'message/rfc822') },
    handle: async ({ params: { name = '' }, reply }, deps: MailDeps) => {
      const folder = folderOf(deps)
      // Only listed files are read: a name is never used as a path.
      const isListed = (await listMail(folder)).includes(name)
      const content = isListed && (await unlessGone(readFile(join(folder, name))))
      if (!content) throw apiError('request.no-such-path', 'There is no such e-mail.')
      return reply.type('message/rfc822').send(content)
    },
  }),
]

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

const describe = async (folder: string, name: string) => {
  const found = await unlessGone(stat(join(folder, name)))
  return found && { name, size: found.size, at: found.mtime.toISOString() }
}

/** Files may be deleted by hand while the folder is read. */
const unlessGone = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
