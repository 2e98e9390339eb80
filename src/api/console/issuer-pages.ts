/** Sign-ins at the issuer: where that of an invited user begins, and the two paths that browsers open, which are not part of the API. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { IssuerSignIn } from '../../auth/sessions/issuer-sign-in.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { apiError, validationError } from '../../errors.ts'
import { openPath } from '../../http/caller-of.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { type Endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { json, objectOf } from '../../http/openapi/operation.ts'
import { type ConsoleDeps, sendPage } from './console-endpoints.ts'
import { guessed, invitationCode } from './started-session.ts'

// An invitation that leads to the issuer: who signs in there becomes the invited user.

type Deps = {
  readonly passwords: Pick<Passwords, 'lookAt'>
  readonly issuerSignIn: IssuerSignIn | undefined
  readonly basePath: string
}

const address = objectOf({
  address: { type: 'string', format: 'uri', description: 'The page of the issuer.' },
})

export const invitedAtIssuer = openEndpoint({
  ...guessed,
  path: '/console/-/invitation/issuer',
  id: 'beginInvitedSignIn',
  summary: 'Begin the first sign-in of an invited user at the issuer',
  description:
    'The person who signs in becomes the invited user, from then on by their subject. The invitation is used up when they come back.',
  errors: [...guessed.errors, 'caller.forbidden'],
  body: checkedBody(Type.Object({ code: invitationCode }, { additionalProperties: false })),
  answers: { 200: json('Where to go on.', address, ['Set-Cookie']) },
  handle: async ({ body, request, reply }, { passwords, issuerSignIn, basePath }: Deps) => {
    await passwords.lookAt(body.code, { request, reply })
    if (!issuerSignIn)
      throw apiError('caller.forbidden', 'No identity provider signs people in here.')
    const goal = { to: `${basePath}/console/`, invitation: body.code }
    return { address: (await issuerSignIn.begin(request, reply, goal)).address }
  },
})

export type IssuerPageDeps = ConsoleDeps & {
  readonly issuerSignIn: IssuerSignIn | undefined
}

type Answer = (
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  deps: IssuerPageDeps & { readonly issuerSignIn: IssuerSignIn },
) => unknown

/** Parameters of the issuer are not checked by a declaration: each issuer adds its own. */
const page = (path: string, answer: Answer): Endpoint<IssuerPageDeps> => ({
  mount: (server, { issuerSignIn, ...deps }) => {
    if (!issuerSignIn) return
    server.get(path, options, async (request, reply) => {
      // The address contains the code of the issuer.
      reply.header('Referrer-Policy', 'no-referrer')
      return answer({ request, reply }, { ...deps, issuerSignIn })
    })
  },
  describe: () => [],
})

const options = {
  ...openPath,
  config: { ...openPath.config, takesCredential: true },
  exposeHeadRoute: false,
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URL(url, 'http://localhost').searchParams

export const issuerPages: readonly Endpoint<IssuerPageDeps>[] = [
  page('/console/-/login', async ({ request, reply }, deps) => {
    // The console says what went wrong, and offers to try again; or greets the person who is invited.
    const query = queryOf(request)
    if (query.has('error') || query.has('invitation')) return sendPage(request, reply, deps)
    const to = readTarget(query.get('to'), deps.basePath)
    const asksAgain = query.has('again')
    const { address } = await deps.issuerSignIn.begin(request, reply, { to, asksAgain })
    return reply.redirect(address, 302)
  }),
  page('/console/-/callback', async ({ request, reply }, { issuerSignIn, basePath }) => {
    const { address, failure } = await issuerSignIn.finish(request, reply)
    // Anyone who tries codes makes the service ask the issuer each time.
    request.hasWrongCredential = failure === 'failed'
    if (failure !== undefined) return reply.redirect(address, 302)
    // Without TLS, anyone who has another port of this host can set the cookie that the target comes from.
    const to = isOwnPage(address, basePath) ? address : `${basePath}/console/`
    return reply.redirect(to, 302)
  }),
]

const maxTarget = 2_000
// They would begin or end another sign-in.
const signInPaths = ['/-/login', '/-/callback']

/** The page to open after the sign-in: one of the console, so that a link cannot lead to another site. */
const readTarget = (given: string | null, basePath: string): string => {
  const console = `${basePath}/console`
  if (given === null) return `${console}/`
  if (isOwnPage(given, basePath)) return given
  throw validationError('request.invalid', [
    { path: 'to', message: `must be a page of the console, such as ${console}/` },
  ])
}

const isOwnPage = (given: string, basePath: string): boolean => {
  const console = `${basePath}/console`
  return (
    given.length <= maxTarget &&
    /^[!-~]+$/.test(given) &&
    !given.includes('\\') &&
    (given === console || given.startsWith(`${console}/`) || given.startsWith(`${console}?`)) &&
    !signInPaths.some((path) => normalized(given).startsWith(`${console}${path}`)) &&
    normalized(given).startsWith(console)
  )
}

/** Without `..`, as a browser opens it. */
const normalized = (path: string): string => new URL(path, 'http://localhost').pathname
