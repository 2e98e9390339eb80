/** The console: its page for every path below /console, its files, and what it must know before a sign-in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../auth/sessions/sessions.ts'
import type { AcceptedCredentials, SignInWays } from '../../auth/sign-in-ways.ts'
import type { ProjectSettings } from '../../definitions/schemas/role-definition.ts'
import { apiError } from '../../errors.ts'
import { openPath } from '../../http/caller-of.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../../http/endpoint/answer-language.ts'
import { type Endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { hasAlready } from '../../http/preconditions.ts'
import { commandName, packageVersion } from '../../package-version.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'

export type ConsoleDeps = LanguageDeps & {
  /** Undefined where the console was not built. */
  readonly consoleFiles: ConsoleFiles | undefined
  readonly basePath: string
  readonly projectName: string
  readonly locale: string
  readonly timeZone: string
  readonly firstDayOfWeek: ProjectSettings['firstDayOfWeek']
  readonly sessions: Pick<Sessions, 'isSent'>
  /** Who vouches for users in a browser. */
  readonly signInBy: AcceptedCredentials
  readonly ways: SignInWays
  /** Whether e-mails reach people. */
  readonly sendsEmail: boolean
}

/**
 * What the page may load and do: nothing that is not of this service. Frames show PDFs and e-mails of
 * this service, whose own answers forbid them scripts.
 */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

type Answer<Deps> = (request: FastifyRequest, reply: FastifyReply, deps: Deps) => unknown

/** A path for browsers, which is not part of the API. */
const pagePath = <Deps>(url: string, answer: Answer<Deps>): Endpoint<Deps> => ({
  mount: (server, deps) => {
    server.get(url, openPath, async (request, reply) => answer(request, reply, deps))
  },
  describe: () => [],
})

/** The page of the console, which shows what belongs to its address. */
export const sendPage: Answer<ConsoleDeps> = (request, reply, deps) => {
  const { consoleFiles, basePath, sessions } = deps
  reply.headers({
    'Content-Security-Policy': consolePolicy,
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  })
  if (consoleFiles) {
    // A proxy that signs users in sends a token with every request.
    const isSignedIn = sessions.isSent(request) || request.headers.authorization !== undefined
    const { signedIn, signedOut } = consoleFiles.page
    return sendFile(isSignedIn ? signedIn : signedOut, request, reply, 'Cookie, Authorization')
  }
  return reply.status(503).type('text/plain; charset=utf-8').send(notBuilt(basePath))
}

const notBuilt = (basePath: string): string =>
  `The console was not built. Run "npm run build:console" in the folder of Docket, and start the service again.
The page of the API, for programs, is ${basePath}/api/docs.
`

// Vite writes a hash of its content into the name of every file that it makes.
const hasHash = /-[A-Za-z0-9_-]{8}\.[a-z]+$/

const sendAsset: Answer<ConsoleDeps> = (request, reply, { consoleFiles }) => {
  const { '*': name = '' } = request.params as { '*'?: string }
  const file = consoleFiles?.assets.get(name)
  if (!file) throw apiError('request.no-such-path', 'The console has no such file.')
  reply.header(
    'Cache-Control',
    hasHash.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
  )
  return sendFile(file, request, reply)
}

const sendFile = (
  file: ConsoleFile,
  request: FastifyRequest,
  reply: FastifyReply,
  vary = 'Accept-Encoding',
) => {
  reply.headers({ ETag: file.etag, Vary: vary, 'X-Content-Type-Options': 'nosniff' })
  if (hasAlready(request.headers['if-none-match'], file.etag)) return reply.status(304).send()
  const accepted = new Set(
    (request.headers['accept-encoding'] ?? '').split(',').map((part) => part.split(';')[0]?.trim()),
  )
  const chosen = file.bodies.find(
    ({ encoding }) => encoding === undefined || accepted.has(encoding),
  )
  if (chosen?.encoding !== undefined) reply.header('Content-Encoding', chosen.encoding)
  return reply.type(file.type).send(chosen?.body)
}

const config = objectOf({
  name: { type: 'string', description: 'Of the project.' },
  locale: { type: 'string' },
  timeZone: { type: 'string' },
  firstDayOfWeek: {
    description: 'The first day of a week in calendars; null: that of the region of the user.',
    enum: ['monday', 'saturday', 'sunday', null],
  },
  version: { type: 'string', description: 'Of Docket.' },
  command: {
    type: 'string',
    description: 'How command lines of Docket begin where it runs, such as `npx docket`.',
  },
  signIn: {
    description:
      'How users sign in: at an OpenID provider, with the development issuer, or only with API keys.',
    enum: ['issuer', 'development', 'keys'],
  },
  ways: {
    type: 'array',
    items: { enum: ['password', 'passkey', 'code'] },
    description: 'How people sign in, too; `code` is sent by e-mail.',
  },
  sendsEmail: { type: 'boolean', description: 'Whether invitations can be sent by e-mail.' },
})

export type ServiceConfig = ValueOf<typeof config>

/** Paths that browsers open; the console reads everything else from the API. */
export const consoleEndpoints: readonly Endpoint<ConsoleDeps>[] = [
  openEndpoint({
    tag: 'Service',
    method: 'get',
    path: '/console/-/config.json',
    id: 'getConsoleConfig',
    summary: 'What the console must know before a sign-in',
    headers: { acceptLanguage: namesLanguage },
    answers: {
      200: json('What everybody may know.', config, ['Content-Language']),
    },
    handle: ({ headers, reply }, deps: ConsoleDeps) => {
      const { projectName: name = deps.projectName } = answerIn(deps, headers.acceptLanguage, reply)
      const { locale, timeZone, firstDayOfWeek = null, signInBy: signIn, sendsEmail } = deps
      reply.header('Cache-Control', 'no-cache')
      const ways = [...deps.ways.offered]
      const version = packageVersion()
      const known = { locale, timeZone, firstDayOfWeek, signIn, ways, sendsEmail }
      return { ...known, name, version, command: commandName }
    },
  }),
  pagePath('/console', sendPage),
  pagePath('/console/*', sendPage),
  pagePath('/assets/*', sendAsset),
]
