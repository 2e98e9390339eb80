/** A service whose orders have comments, internal ones too, with people of every permission on them. */
import { insertPerson } from '../../support/a-person.ts'
import { entityFile, link, roleFile } from '../../support/definitions/files.ts'
import { type AskOptions, shareService, startTestService } from '../../support/service.ts'
import { startTestWorker } from '../../support/worker.ts'

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]

const files = {
  'docket.json': { name: 'Comments', timeZone: 'UTC' },
  ...entityFile(
    'order',
    {
      hooks,
      comments: { internal: true, follow: ['keeper', '$mentioned', '$commented', '$actor'] },
      notifications: [
        { operation: 'comment', recipient: { followers: true, includeActor: false } },
        { operation: 'comment', recipient: { userFields: ['keeper'], includeActor: false } },
        { operation: 'mention', recipient: {} },
      ],
    },
    [
      { key: 'name', type: 'string', personal: true },
      { key: 'offer', type: 'file' },
      link('keeper', 'user'),
    ],
  ),
  ...entityFile('plain', [{ key: 'name', type: 'string' }]),
  ...roleFile('writer', {
    order: { create: true, read: true, comments: true },
    user: { read: true },
  }),
  ...roleFile('insider', {
    order: { read: true, comments: true, internalComments: true },
    user: { read: true },
  }),
  ...roleFile('reader', { order: { read: true }, '*': { read: true } }),
  ...roleFile('owner', { order: { create: true, read: true, comments: 'own' } }),
  ...roleFile('own_reader', {
    order: { create: true, read: 'own', comments: true, hiddenFields: ['offer'] },
  }),
  ...roleFile('nobody', { plain: { read: true } }),
}

const names = {
  writer: 'writer',
  other: 'writer',
  insider: 'insider',
  reader: 'reader',
  owner: 'owner',
  own_reader: 'own_reader',
  nobody: 'nobody',
} as const
export type Name = keyof typeof names

const start = async () => {
  const service = await startTestService(files, { REQUESTS_PER_CALLER: '0' })
  const { pool } = service.database
  const ids: Record<string, number> = { admin: 1 }
  for (const [name, role] of Object.entries(names)) ids[name] = await insertPerson(pool, name, role)
  const worker = await startTestWorker(service)
  return { ...service, ids: ids as Record<Name | 'admin', number>, settled: worker.settled }
}

const startComments = shareService(start)

export const mailOf = (name: Name): string => `${name}@example.com`

/** A call as one of them; by default as the administrator. */
export const as = (name: Name | undefined, options: AskOptions = {}): AskOptions => ({
  ...options,
  ...(name && { as: mailOf(name) }),
})

/** The service, and what its tests send as one of them. */
export const openComments = async () => {
  const service = await startComments()
  const ask = (who: Name | undefined, method: string, path: string, body?: object, headers = {}) =>
    service.ask(method, path, as(who, { ...(body && { body }), headers }))
  const newOrder = async (who: Name | undefined = 'writer', values = {}): Promise<string> =>
    `/order/${(await ask(who, 'POST', '/order', { name: 'An order', ...values })).json(201).id}`
  const say = async (who: Name | undefined, order: string, text: string, more = {}) =>
    (await ask(who, 'POST', `${order}/comment`, { text, ...more })).json(201)
  const listOf = async (who: Name | undefined, order: string) =>
    (await ask(who, 'GET', `${order}/comment`)).json(200).data
  const textsOf = async (who: Name | undefined, order: string): Promise<(string | null)[]> =>
    (await listOf(who, order)).map(({ text }: { text: string | null }) => text)
  const historyOf = async (who: Name | undefined, order: string, query = '') =>
    (await ask(who, 'GET', `${order}/history${query}`)).json(200).data
  return { service, ask, newOrder, say, listOf, textsOf, historyOf }
}
