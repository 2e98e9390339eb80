/** The e-mails that the provider `file` caught, for administrators while they try things out. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { administratorRole } from '../definitions/check-role.ts'
import { fault } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'

type MailParts = {
  /** Where they lie; undefined where another provider sends them. */
  readonly folder: string | undefined
}

/** Mounts /api/mail. */
export const mailRoutes =
  (parts: MailParts): Routes =>
  (server) => {
    server.get('/api/mail', async (request) => {
      const folder = await enter(parts, request)
      const names = await listMail(folder)
      return { data: await Promise.all(names.map((name) => describe(folder, name))) }
    })
    server.get<{ Params: { name: string } }>('/api/mail/:name', async (request, reply) => {
      const folder = await enter(parts, request)
      const { name } = request.params
      // Only what is in the list is read: a name is never a path.
      if (!(await listMail(folder)).includes(name))
        throw fault('request.no-such-path', 'There is no such e-mail.')
      const text = await readFile(join(folder, name))
      return reply.type('message/rfc822').send(text)
    })
  }

const enter = async ({ folder }: MailParts, request: FastifyRequest): Promise<string> => {
  const { roleKey } = callerOf(request)
  readQuery(request.query, {})
  if (roleKey !== administratorRole)
    throw fault('caller.forbidden', 'Only administrators read caught e-mails.')
  if (folder === undefined)
    throw fault('request.no-such-path', 'E-mails are sent here, not caught (EMAIL_PROVIDER).')
  return folder
}

/** The newest first; the names begin with their time. */
const listMail = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .sort()
    .reverse()
}

const describe = async (folder: string, name: string) => {
  const { size, mtime } = await stat(join(folder, name))
  return { name, size, at: mtime.toISOString() }
}
