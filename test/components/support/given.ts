/** What a service answers in many tests: entries of a history, what a search finds, what may be done. */
import type { Delivery } from '../../../console/api/admin/queue.ts'
import type { Found, HistoryEntry } from '../../../console/api/types.ts'
import type { Answer, Asked, Given } from './answers.ts'

/** Of an action the service says the kind too, which no page shows. */
export type EntryPart = Partial<Omit<HistoryEntry, 'action'>> & {
  readonly action?: (HistoryEntry['action'] & { readonly kind: string }) | null
}

const at = '2026-05-04T08:30:00.000Z'

/** A user whom nobody has changed. */
export const ana = {
  id: 2,
  full_name: 'Ana Test',
  email: 'ana@example.com',
  _version: 1,
  is_active: true,
  is_blocked: false,
  first_name: 'Ana',
  last_name: 'Test',
  username: 'ana@example.com',
  identity_provider_user_id: 'ana',
  security_role_id: 2,
  phone: null,
  job_title: null,
  is_contact: false,
  blocked_at: null,
  _is_deleted: false,
  _created_by: 1,
  _updated_by: 1,
  _created_at: at,
  _updated_at: at,
}

/** The roles of a user by their names; their keys are the same in lower case. */
export const asRoles = (...names: readonly [string, ...string[]]) => {
  const roles = names.map((name) => ({ key: name.toLowerCase(), name }))
  return { role: names[0].toLowerCase(), role_name: names[0], roles }
}

/** By default a change that the user made. */
export const entryOf = (id: number, more: EntryPart = {}): HistoryEntry => ({
  id,
  operation: 'change',
  task_id: null,
  part: null,
  at,
  user: { id: 1, full_name: 'administrator' },
  acting_user: null,
  changes: {},
  users: [],
  action: null,
  comment: null,
  ...more,
})

/** By default an e-mail to Ana about the first order, which waits. */
export const deliveryOf = (id: number, more: Partial<Delivery> = {}): Delivery => ({
  id,
  channel: 'email',
  entity_key: 'order',
  entity_id: 1,
  operation: 'create',
  entry: '0',
  history_id: null,
  by: null,
  acting_user: null,
  user: { id: ana.id, full_name: ana.full_name },
  status: 'queued',
  tries: 0,
  last_error: null,
  next_try_at: null,
  created_at: at,
  sent_at: null,
  address: ana.email,
  subject: null,
  attachments: [],
  ...more,
})

/** What `GET /api/me` answers to a user who may open these parts of the administration. */
export const administers =
  (...administration: readonly string[]): Answer =>
  async (_asked, usual) => ({ body: { ...((await usual()).body as object), administration } })

export const foundOf = (
  entity: string,
  id: number,
  display: string,
  field: string,
  more: Partial<Found> = {},
): Found => ({ entity, id, display, field, match: 'contained', ...more })

/** What `GET /api/search` answers. */
export const finds = (...data: readonly Found[]): Given => ({ body: { data, incomplete: [] } })

/** What `POST /ENTITY/bulk` answers when it does or tries all but those that are refused, each with a reason. */
export const bulkWithout =
  (refused: Readonly<Record<number, string>> = {}) =>
  ({ body }: Asked): Given => {
    const { ids, dryRun = false } = body as { ids: readonly number[]; dryRun?: boolean }
    const data = ids.map((id) => {
      const code = refused[id] ?? null
      const [status, version] = code === null ? ['done', 1] : ['refused', null]
      return { id, status, version, code, detail: code, errors: [] }
    })
    const done = data.filter(({ code }) => code === null).length
    const counts = { done, unchanged: 0, refused: ids.length - done }
    return { body: { dryRun, counts, data } }
  }

/** What `GET /ENTITY/ID/actions` answers, by default that nothing may be done. */
export const actionsAnswer = ({
  may = {},
  ...more
}: {
  may?: object
  [name: string]: unknown
}) => ({
  body: {
    step: null,
    data: [],
    unmet: [],
    unmetRights: [],
    lockedFields: [],
    mayCreate: {},
    may: {
      update: false,
      delete: false,
      takeOwnership: false,
      tasks: false,
      comments: false,
      internalComments: false,
      ...may,
    },
    ...more,
  },
})
