/** The two paths of a sign-in at the issuer, which browsers open; they are not part of the API. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IssuerSignIn } from '../../auth/sessions/issuer-sign-in.ts'
import { validationError } from '../../errors.ts'
import { openPath } from '../../http/caller-of.ts'
import type { Endpoint } from '../../http/endpoint/endpoint.ts'
import { type ConsoleDeps, sendPage } from './console-endpoints.ts'

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
