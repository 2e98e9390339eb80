/**
 * A random catalogue of a seed: entities with links, one-to-many fields and a workflow; roles with random conditions of reading,
 * hidden and read-only fields; users with what the conditions compare.
 */
import { entityFile, roleFile } from '../definitions/files.ts'
import { workflowOf } from '../definitions/workflow-of.ts'
import type { Random } from '../fuzz/random.ts'
import type { ProjectFiles } from '../service.ts'
import { kinds, levels, randomCondition, type Shape, type Where } from './random-conditions.ts'

/** What a role may do with the records of an entity. */
type Rights = {
  readonly read: boolean | 'own'
  readonly conditions?: { readonly read: Where }
  readonly hiddenFields: readonly string[]
  readonly [permission: string]: unknown
}

export type RandomRole = { readonly key: string; readonly rights: Readonly<Record<string, Rights>> }

/** A user, with the roles whose rights they have. */
export type RandomUser = {
  readonly name: string
  readonly roles: readonly string[]
  readonly rank: number | null
  /** The number of the record of `e0` that they belong to. */
  readonly home: number | null
  readonly teams: readonly string[]
}

/** Names of fields that roles may hide, which nothing else has. */
type SecretNames = { readonly text: string; readonly amount: string }

export type RandomProject = {
  readonly shapes: readonly Shape[]
  readonly secrets: SecretNames
  readonly roles: readonly RandomRole[]
  readonly users: readonly RandomUser[]
  readonly files: ProjectFiles
}

const letters = 'bcdghkmnpqrstvwxz'
/** Finds what `markerOf` makes. */
export const markerPattern = /zq[bcdghkmnpqrstvwxz]{14}/g

/** A word that nobody guesses, without letters that fonts join. */
export const markerOf = (random: Random): string =>
  `zq${Array.from({ length: 14 }, () => letters[random.below(letters.length)]).join('')}`

/** Finds what `numberOf` makes. */
export const numberPattern = /(?<![\w.])[2-8]\d{8}(?!\w)/g

/** A number that no id, time or count has. */
export const numberOf = (random: Random): number => 200_000_000 + random.below(600_000_000)

export const teams = ['north', 'south', 'west'] as const
const count = 4

/** Each entity links up to an earlier one, and aside to any; each has its lists of those that link up to it. */
const shapesOf = (random: Random): readonly Shape[] => {
  const ups = Array.from({ length: count }, (_, index) =>
    index > 0 ? random.below(index) : undefined,
  )
  return ups.map((up, index) => {
    const below = ups.flatMap((one, other) => (one === index ? [other] : []))
    return {
      key: `e${index}`,
      links: {
        ...(up !== undefined && { up: `e${up}` }),
        peer: `e${random.below(count)}`,
        holder: 'user',
        team: 'user_group',
      },
      lists: Object.fromEntries(
        below.map((other) => [`downs${other}`, { entity: `e${other}`, mappedBy: 'up' }]),
      ),
    }
  })
}

const rooms = { slack: { room: 'all' }, teams: { room: 'all' } }

const entityOf = (random: Random, { key, links, lists }: Shape, secrets: SecretNames) => {
  const paths = ['mark', secrets.text, 'up.mark', `peer.${secrets.text}`, 'holder.job_title']
  const named = paths.filter((path) => !path.startsWith('up.') || 'up' in links)
  const printed = [...named, 'amount', secrets.amount].map((path) => `{{ record.${path} }}`)
  return entityFile(
    key,
    {
      displayField: 'mark',
      ownership: random.chance(0.7),
      comments: { internal: true, follow: ['holder', '$actor', '$commented'] },
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [
        {
          operation: 'proceedToStep',
          action: 'note',
          recipient: { userFields: ['holder'], userGroups: ['everybody'] },
          content: {
            title: 'Noted {{ record.mark }}',
            message: `${printed.join(' ')} {{ comment }}`,
          },
          attachments: {
            printableDocuments: [key],
            documentFunctions: ['native/entity-export', 'native/record-json'],
            files: ['scan', 'photos'],
          },
          ...rooms,
        },
        {
          operation: 'comment',
          recipient: { followers: true, userGroups: ['everybody'] },
          content: { title: 'Said {{ record.mark }}', message: '{{ comment }}' },
          ...rooms,
        },
      ],
      workflow: workflowOf(
        {
          open: [
            { key: 'approve', kind: 'approveWorkflow', to: 'done', form: 'why' },
            { key: 'note', kind: 'proceedToStep', to: 'open' },
          ],
          done: [],
        },
        { forms: [{ key: 'why', fields: ['note'] }] },
      ),
    },
    [
      { key: 'mark', type: 'string', indexed: random.chance(0.5) },
      { key: 'note', type: 'text' },
      { key: 'amount', type: 'integer' },
      { key: 'level', type: 'integer', indexed: random.chance(0.3) },
      { key: 'is_on', type: 'boolean' },
      { key: 'kind', type: 'enum', values: kinds },
      { key: 'due_on', type: 'date' },
      { key: 'meta', type: 'json' },
      { key: 'scan', type: 'file' },
      { key: 'photos', type: 'files' },
      { key: secrets.text, type: 'string' },
      { key: secrets.amount, type: 'decimal', precision: 14, scale: 2 },
      ...Object.entries(links).map(([link, entity]) => ({ key: link, type: 'manyToOne', entity })),
      ...Object.entries(lists).map(([list, of]) => ({ key: list, type: 'oneToMany', ...of })),
    ],
  )
}

const hideable = ['note', 'amount', 'level', 'meta', 'scan', 'photos', 'peer', 'holder', 'kind']

const rightsOf = (
  random: Random,
  entity: Shape,
  readable: string[],
  secrets: SecretNames,
): Rights => {
  const some = () => random.pick<boolean | 'own'>([true, true, 'own'])
  const hidden = [secrets.text, secrets.amount].filter(() => random.chance(0.5))
  const also = hideable.filter(() => random.chance(0.12))
  const readOnlyFields = ['level', 'note'].filter(
    (key) => random.chance(0.2) && !also.includes(key),
  )
  const all = { create: true, update: some(), delete: some(), export: some(), tasks: some() }
  const ofComments = { comments: some(), internalComments: random.chance(0.5) }
  const common = {
    ...all,
    ...ofComments,
    takeOwnership: some(),
    actions: ['approve', 'note'],
    readOnlyFields,
  }
  const hiddenFields = [...hidden, ...also, ...(random.chance(0.1) ? ['mark'] : [])]
  const chosen = random.next()
  if (chosen < 0.08) return { read: false, create: true, hiddenFields }
  readable.push(entity.key)
  if (chosen < 0.18) return { ...common, read: true, hiddenFields }
  if (chosen < 0.28) return { ...common, read: 'own', hiddenFields }
  const others = readable.filter((key) => key !== entity.key)
  const read = randomCondition({ random, entity, readable: others, secret: secrets.amount })
  return { ...common, read: random.chance(0.85) ? true : 'own', conditions: { read }, hiddenFields }
}

const userRights = (random: Random): Rights => {
  const hiddenFields = ['job_title', 'phone', 'email', 'username'].filter(() => random.chance(0.3))
  const where: Where = random.pick<Where>([
    { home: { $caller: 'home' } },
    { rank: { $lt: 2 } },
    { groups: { $some: { 'user_group.name': 'north' } } },
  ])
  return random.pick<Rights>([
    { read: false, hiddenFields },
    { read: true, export: true, hiddenFields },
    { read: true, export: true, hiddenFields, conditions: { read: where } },
  ])
}

const roleOf = (
  random: Random,
  key: string,
  shapes: readonly Shape[],
  secrets: SecretNames,
): RandomRole => {
  const readable: string[] = []
  const rights = Object.fromEntries(
    shapes.map((shape) => [shape.key, rightsOf(random, shape, readable, secrets)]),
  )
  const natives = {
    user: userRights(random),
    user_group: { read: random.chance(0.5), hiddenFields: [] },
    task: { read: random.chance(0.2), hiddenFields: [] },
  }
  return { key, rights: { ...rights, ...natives } }
}

/** The catalogue of the next numbers. */
export const randomProject = (random: Random): RandomProject => {
  const secrets = { text: markerOf(random), amount: markerOf(random) }
  const shapes = shapesOf(random)
  const roles = ['r0', 'r1', 'r2'].map((key) => roleOf(random, key, shapes, secrets))
  const users = [['r0'], ['r1'], ['r2'], ['r0', 'r1']].map((held, index) => ({
    name: `u${index}`,
    roles: held,
    rank: random.chance(0.85) ? random.below(levels) : null,
    home: random.chance(0.85) ? random.below(3) : null,
    teams: teams.filter(() => random.chance(0.5)),
  }))
  const templates = shapes.map(({ key }) => [
    `printable-documents/${key}.typ`,
    '#set page(width: 60cm, height: auto)\n#let data = json("data.json")\n#repr(data.record)\n#repr(data.actor)',
  ])
  const files: ProjectFiles = {
    'docket.json': { name: 'Rights', timeZone: 'UTC' },
    ...Object.assign({}, ...shapes.map((shape) => entityOf(random, shape, secrets))),
    ...entityFile('user', { extends: 'native' }, [
      { key: 'rank', type: 'integer' },
      { key: 'home', type: 'manyToOne', entity: 'e0' },
      { key: 'held', type: 'oneToMany', entity: 'e1', mappedBy: 'holder' },
    ]),
    ...Object.fromEntries(templates),
    ...Object.assign({}, ...roles.map(({ key, rights }) => roleFile(key, rights))),
  }
  return { shapes, secrets, roles, users, files }
}
