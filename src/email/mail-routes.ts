/** The e-mails that the provider `file` caught, for administrators while they try things out. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'

type MailDeps = {
  /** Where they lie; undefined where another provider sends them. */
  readonly folder: string | undefined
}

/** Mounts /api/mail. */
export const mailRoutes =
  (deps: MailDeps): Routes =>
  (server) => {
    server.get('/api/mail', async (request) => {
      const folder = await enter(deps, request)
      const names = await listMail(folder)
      const described = await Promise.all(names.map((name) => describe(folder, name)))
      return { data: described.filter((one) => one !== undefined) }
    })
    server.get<{ Params: { name: string } }>('/api/mail/:name', async (request, reply) => {
      const folder = await enter(deps, request)
      const { name } = request.params
      // Only what is in the list is read: a name is never a path.
      const isListed = (await listMail(folder)).includes(name)
      const text = isListed && (await unlessGone(readFile(join(folder, name))))
      if (!text) throw apiError('request.no-such-path', 'There is no such e-mail.')
      return reply.type('message/rfc822').send(text)
    })
  }

const enter = async ({ folder }: MailDeps, request: FastifyRequest): Promise<string> => {
  const { roleKey } = callerOf(request)
  readQuery(request.query, {})
  if (roleKey !== administratorRole)
    throw apiError('caller.forbidden', 'Only administrators read caught e-mails.')
  if (folder === undefined)
    throw apiError('request.no-such-path', 'E-mails are sent here, not caught (EMAIL_PROVIDER).')
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
  const found = await unlessGone(stat(join(folder, name)))
  return found && { name, size: found.size, at: found.mtime.toISOString() }
}

/** Whoever tries things out also clears the folder up, while it is read. */
const unlessGone = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
