/** Invitations over HTTP, for administrators: the link of one lets its user in. */
import { originOf, recordAudit } from '../../audit/record-audit.ts'
import { authorOf } from '../../auth/caller.ts'
import {
  deleteInvitation,
  type Invitation,
  selectInvitations,
} from '../../auth/codes/one-time-code-store.ts'
import { assertProven } from '../../auth/credentials/own-session.ts'
import {
  createInvitation,
  invitationLink,
  type NewInvitation as Stored,
} from '../../auth/passwords/invitations.ts'
import type { Sessions } from '../../auth/sessions/sessions.ts'
import type { SignInWays } from '../../auth/sign-in-ways.ts'
import type { Pool } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { apiError, validationError } from '../../errors.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { id, maxRecordId } from '../../http/endpoint/parameters.ts'
import {
  component,
  dataOf,
  empty,
  json,
  objectOf,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import type { Observe } from '../../observations.ts'
import { sendInvitation } from '../../outbox/account-email.ts'

export type InvitationDeps = {
  readonly pool: Pool
  readonly sessions: Sessions
  readonly observe: Observe
  readonly ways: Pick<SignInWays, 'whyNoInvitations'>
  /** Whether e-mails reach people. */
  readonly sendsEmail: boolean
  /** The public address of the service, with its base path, at the port that a request came to. */
  readonly addressAt: (port: number | undefined) => string
}

const person = { id: { type: 'integer' }, full_name: { type: 'string' } } as const

const invitation = component(
  'Invitation',
  objectOf({
    id: { type: 'integer' },
    user: objectOf({ ...person, email: { type: 'string' } }),
    invited_by: {
      anyOf: [objectOf(person), { type: 'null' }],
      description: 'Null for one of the command line.',
    },
    created_at: time,
    expires_at: time,
  }),
)

const created = component(
  'NewInvitation',
  objectOf({
    id: { type: 'integer' },
    link: {
      type: ['string', 'null'],
      description: 'Shown only here. It works once. Null if it is sent by e-mail.',
    },
    expires_at: time,
  }),
)

export type OpenInvitation = ValueOf<typeof invitation>
export type NewInvitation = ValueOf<typeof created>

const common = { tag: 'People', who: 'administrator', path: '/api/invitations' } as const

const noProvider = {
  path: 'send',
  message: 'needs a provider of e-mails: set EMAIL_PROVIDER (docs/email.md)',
}

const unknown = (text: string) => apiError('record.unknown', `There is no open invitation ${text}.`)

/** /api/invitations. */
export const invitationEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    id: 'listInvitations',
    summary: 'Open invitations, the newest first',
    description: 'At most 1,000. For administrators.',
    answers: { 200: json('All of them.', dataOf(invitation)) },
    handle: async (_call, { pool }: InvitationDeps): Promise<{ data: Invitation[] }> => ({
      data: [...(await selectInvitations(pool))],
    }),
  }),
  endpoint({
    ...common,
    method: 'post',
    id: 'inviteUser',
    summary: 'Invite a user',
    description:
      '`send` sends the link by e-mail instead of showing it. It works once, for 72 hours, and replaces an earlier one of this user. Whoever opens it becomes this user, so that it is also how a forgotten password is replaced: the former one works until then. In a session it needs a proof of the last ten minutes. For administrators.',
    body: checkedBody(
      Type.Object(
        {
          user_id: Type.Integer({ minimum: 1, maximum: maxRecordId }),
          send: Type.Optional(
            Type.Boolean({ description: 'Whether it is sent to the e-mail of the user.' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    errors: ['record.unknown', 'caller.not-proven'],
    answers: { 201: json('The link.', created) },
    handle: async ({ body, caller, request, reply }, deps: InvitationDeps) => {
      const { pool, sessions, observe, addressAt, ways } = deps
      const { user_id: userId, send = false } = body
      if (ways.whyNoInvitations !== undefined)
        throw apiError('caller.forbidden', `Nobody can be invited. ${ways.whyNoInvitations}`)
      if (send && !deps.sendsEmail) throw validationError('request.invalid', [noProvider])
      // The link becomes its user, which a browser that was left open must not. A program shows its key or token each time.
      if (sessions.isSent(request))
        await assertProven(pool, (await sessions.current(request)).session.id)
      const invitedBy = caller.actingUser?.id ?? caller.userId
      const origin = originOf(request)
      const one = await transaction(
        pool,
        (connection): Promise<Stored | undefined> =>
          (send ? sendInvitation : createInvitation)(connection, { userId, invitedBy, origin }),
      )
      if (!one) throw apiError('record.unknown', `There is no active user ${userId}.`)
      observe({ kind: 'userInvited', userId, by: invitedBy })
      reply.status(201).header('Cache-Control', 'no-store')
      const base = addressAt(request.socket.localPort)
      const link = one.code === undefined ? null : invitationLink(base, one.code)
      return { id: one.id, link, expires_at: one.expiresAt }
    },
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: '/api/invitations/{id}',
    id: 'revokeInvitation',
    summary: 'Revoke an open invitation',
    description: 'Its link stops working at once. For administrators.',
    params: {
      id: id({ description: 'Id of the invitation.', unknown, errors: ['record.unknown'] }),
    },
    answers: { 204: empty('It is revoked.') },
    handle: ({ params, caller, request }, { pool }: InvitationDeps) =>
      transaction(pool, async (connection) => {
        const aboutUserId = await deleteInvitation(connection, params.id)
        if (aboutUserId === undefined) throw unknown(String(params.id))
        await recordAudit(connection, {
          kind: 'revokeInvitation',
          by: authorOf(caller),
          aboutUserId,
          origin: originOf(request),
        })
      }),
  }),
]
